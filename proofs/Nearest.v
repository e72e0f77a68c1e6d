(* Answers by the nearest code: an interval that lies on one side of every midpoint decides which code is nearest. *)
From Coq Require Import ZArith Reals List Lia Lra Bool.
From Flocq Require Import Core BinarySingleNaN.
From Capax Require Import Binary32 Network Intervals.
Import ListNotations.
Open Scope R_scope.

(* Codes are integers in units of 2^-60. *)
Definition code (c : Z) : R := IZR c * pow2 (-60).
Definition is_nearest (codes : list Z) (x : R) (k : nat) : Prop :=
  (k < length codes)%nat /\
  forall j, (j < length codes)%nat -> j <> k -> Rabs (x - code (nth k codes 0%Z)) < Rabs (x - code (nth j codes 0%Z)).
Definition nearest_ok (codes : list Z) (i : Z * Z) (k : nat) : bool :=
  let own := nth k codes 0%Z in
  (k <? length codes)%nat &&
  forallb (fun p => (fst p =? k)%nat || ((snd p <? own) && (snd p + own <? 2 * fst i)) || ((own <? snd p) && (2 * snd i <? snd p + own)))%Z (numbered codes).

Theorem nearest_sound : forall codes i k x, holds i x -> nearest_ok codes i k = true -> is_nearest codes (val x) k.
Proof.
  intros codes i k x (_ & L & H) C. unfold nearest_ok in C. apply andb_true_iff in C. destruct C as [K C]. apply Nat.ltb_lt in K. split; [exact K|].
  intros j Hj N. rewrite forallb_forall in C. specialize (C _ (nth_numbered _ codes j 0%Z Hj)). cbn [fst snd] in C.
  rewrite (proj2 (Nat.eqb_neq j k) N) in C. cbn [orb] in C. set (own := nth k codes 0%Z) in *. set (other := nth j codes 0%Z) in *.
  pose proof (bpow_gt_0 radix2 (-60)) as P. unfold code. apply orb_true_iff in C.
  destruct C as [C|C]; apply andb_true_iff in C; destruct C as [C1 C2]; apply Z.ltb_lt in C1, C2; apply IZR_lt in C1, C2; rewrite plus_IZR, mult_IZR in C2.
  - assert (D1 : IZR other * pow2 (-60) < IZR own * pow2 (-60)) by (apply Rmult_lt_compat_r; assumption).
    assert (D2 : (IZR other + IZR own) * pow2 (-60) < 2 * IZR (fst i) * pow2 (-60)) by (apply Rmult_lt_compat_r; assumption).
    unfold Rabs. destruct (Rcase_abs _), (Rcase_abs _); lra.
  - assert (D1 : IZR own * pow2 (-60) < IZR other * pow2 (-60)) by (apply Rmult_lt_compat_r; assumption).
    assert (D2 : 2 * IZR (snd i) * pow2 (-60) < (IZR other + IZR own) * pow2 (-60)) by (apply Rmult_lt_compat_r; assumption).
    unfold Rabs. destruct (Rcase_abs _), (Rcase_abs _); lra.
Qed.
