(* Binary32 numbers: what the proofs need of Flocq's definition of IEEE 754, and what they assume of exp. *)
From Coq Require Import ZArith Reals List Lia Lra Bool.
From Flocq Require Import Core Relative BinarySingleNaN.
Import ListNotations.
Open Scope R_scope.

Definition prec := 24%Z.
Definition emax := 128%Z.
Lemma prec_positive : Prec_gt_0 prec. Proof. reflexivity. Qed.
Lemma prec_below_emax : Prec_lt_emax prec emax. Proof. reflexivity. Qed.
Global Existing Instance prec_positive.
Global Existing Instance prec_below_emax.

Definition f32 := binary_float prec emax.
Definition fadd : f32 -> f32 -> f32 := Bplus mode_NE.
Definition fsub : f32 -> f32 -> f32 := Bminus mode_NE.
Definition fmul : f32 -> f32 -> f32 := Bmult mode_NE.
Definition fdiv : f32 -> f32 -> f32 := Bdiv mode_NE.
Definition ffma : f32 -> f32 -> f32 -> f32 := Bfma mode_NE.
(* The number m * 2^e. *)
Definition of_Z (m e : Z) : f32 := binary_normalize prec emax prec_positive prec_below_emax mode_NE m e false.
Definition fone : f32 := of_Z 1 0.
Definition fzero : f32 := of_Z 0 0.
Definition fmax (x y : f32) : f32 := if Bltb x y then y else x.
Definition relu (x : f32) : f32 := fmax fzero x.

Notation val := (@B2R prec emax).
Notation fin := (@is_finite prec emax).
Notation fexp32 := (SpecFloat.fexp prec emax).
Notation rnd := (round radix2 fexp32 ZnearestE).
Notation format := (generic_format radix2 fexp32).
Notation pow2 := (bpow radix2).

(* All that is assumed of the machine's exp: a hypothesis of the theorems, not an axiom. *)
Record exp_ok (e : f32 -> f32) : Prop := {
  exp_0 : forall x, fin x = true -> val x = 0 -> e x = fone;
  exp_low : forall x, fin x = true -> val x <= -104 -> e x = fzero }.

(* Rounding. *)
Lemma rnd_monotone : forall x y, x <= y -> rnd x <= rnd y.
Proof. intros. apply round_le; [apply FLT_exp_valid; reflexivity | apply valid_rnd_N | assumption]. Qed.

Lemma rnd_format : forall x, format x -> rnd x = x.
Proof. intros. apply round_generic; [apply valid_rnd_N | assumption]. Qed.

Lemma rnd_error : forall x, Rabs (rnd x - x) <= pow2 (-24) * Rabs x + pow2 (-150).
Proof.
  intros x. destruct (error_N_FLT radix2 (3 - 128 - 24) 24 eq_refl (fun z => negb (Z.even z)) x) as (eps & eta & He & Ht & _ & E).
  change (rnd x = x * (1 + eps) + eta) in E. rewrite E.
  replace (x * (1 + eps) + eta - x) with (x * eps + eta) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult.
  replace (/ 2 * pow2 (- (24) + 1)) with (pow2 (-24)) in He by (simpl; lra).
  replace (/ 2 * pow2 (3 - 128 - 24)) with (pow2 (-150)) in Ht
    by (change (pow2 (-150)) with (pow2 (-1 + (3 - 128 - 24))); rewrite bpow_plus; simpl (pow2 (-1)); reflexivity).
  pose proof (Rabs_pos x). rewrite Rmult_comm. apply Rplus_le_compat; [|exact Ht]. apply Rmult_le_compat_r; assumption.
Qed.

Lemma format_pow2 : forall e, (-149 <= e)%Z -> format (pow2 e).
Proof. intros. apply generic_format_bpow. unfold SpecFloat.fexp, SpecFloat.emin, prec, emax. lia. Qed.

Lemma rnd_small : forall x e, (-149 <= e < 128)%Z -> Rabs x <= pow2 e -> Rabs (rnd x) < pow2 emax.
Proof.
  intros x e [L H] B. apply Rle_lt_trans with (pow2 e); [|apply bpow_lt; exact H].
  apply abs_round_le_generic; [apply FLT_exp_valid; reflexivity | apply valid_rnd_N | now apply format_pow2 | exact B].
Qed.

(* A multiple of 2^e by at most 2^24 is a number of binary32. *)
Lemma format_multiple : forall n e : Z, (-149 <= e)%Z -> (Z.abs n <= 2 ^ 24)%Z -> format (IZR n * pow2 e).
Proof.
  intros n e He H. destruct (Z.eq_dec (Z.abs n) (2 ^ 24)) as [E|E].
  - assert (G : format (pow2 (24 + e))) by (apply format_pow2; lia).
    rewrite bpow_plus in G. replace (pow2 24) with (IZR (2 ^ 24)) in G by (simpl; lra).
    assert (n = 2 ^ 24 \/ n = - 2 ^ 24)%Z as [->| ->] by lia; [exact G|].
    rewrite opp_IZR, Ropp_mult_distr_l_reverse. now apply generic_format_opp.
  - change (generic_format radix2 (FLT_exp (3 - 128 - 24) 24) (IZR n * pow2 e)).
    apply generic_format_FLT. exists (Float radix2 n e).
    + reflexivity.
    + change (Zpower radix2 24) with (2 ^ 24)%Z. cbn [Fnum]. lia.
    + cbn [Fexp]. lia.
Qed.

Lemma format_int : forall n : Z, (Z.abs n <= 2 ^ 24)%Z -> format (IZR n).
Proof. intros n H. rewrite <- (Rmult_1_r (IZR n)). change 1 with (pow2 0). apply format_multiple; [lia|exact H]. Qed.

Lemma format_val : forall x : f32, format (val x).
Proof. intros. apply generic_format_B2R. Qed.

(* One operation whose exact result is at most 2^110 is finite and is that result, rounded. *)
Definition huge := 110%Z.
Lemma add_round : forall x y, fin x = true -> fin y = true -> Rabs (val x + val y) <= pow2 huge ->
  fin (fadd x y) = true /\ val (fadd x y) = rnd (val x + val y).
Proof.
  intros x y Fx Fy B. generalize (Bplus_correct prec emax _ _ mode_NE x y Fx Fy). simpl round_mode.
  rewrite Rlt_bool_true by (apply rnd_small with huge; [unfold huge; lia|exact B]). intros (V & F & _). now split.
Qed.
Lemma sub_round : forall x y, fin x = true -> fin y = true -> Rabs (val x - val y) <= pow2 huge ->
  fin (fsub x y) = true /\ val (fsub x y) = rnd (val x - val y).
Proof.
  intros x y Fx Fy B. generalize (Bminus_correct prec emax _ _ mode_NE x y Fx Fy). simpl round_mode.
  rewrite Rlt_bool_true by (apply rnd_small with huge; [unfold huge; lia|exact B]). intros (V & F & _). now split.
Qed.
Lemma mul_round : forall x y, fin x = true -> fin y = true -> Rabs (val x * val y) <= pow2 huge ->
  fin (fmul x y) = true /\ val (fmul x y) = rnd (val x * val y).
Proof.
  intros x y Fx Fy B. generalize (Bmult_correct prec emax _ _ mode_NE x y). simpl round_mode.
  rewrite Rlt_bool_true by (apply rnd_small with huge; [unfold huge; lia|exact B]). intros (V & F & _).
  rewrite Fx, Fy in F. now split.
Qed.
Lemma fma_round : forall x y z, fin x = true -> fin y = true -> fin z = true ->
  Rabs (val x * val y + val z) <= pow2 huge ->
  fin (ffma x y z) = true /\ val (ffma x y z) = rnd (val x * val y + val z).
Proof.
  intros x y z Fx Fy Fz B. generalize (Bfma_correct prec emax _ _ mode_NE x y z Fx Fy Fz). simpl round_mode. cbv zeta.
  rewrite Rlt_bool_true by (apply rnd_small with huge; [unfold huge; lia|exact B]). intros (V & F & _). now split.
Qed.
Lemma div_round : forall x y, fin x = true -> val y <> 0 -> Rabs (val x / val y) <= pow2 huge ->
  fin (fdiv x y) = true /\ val (fdiv x y) = rnd (val x / val y).
Proof.
  intros x y Fx Ny B. generalize (Bdiv_correct prec emax _ _ mode_NE x y Ny). simpl round_mode.
  rewrite Rlt_bool_true by (apply rnd_small with huge; [unfold huge; lia|exact B]). intros (V & F & _).
  rewrite Fx in F. now split.
Qed.

Lemma of_Z_exact : forall m e, (Z.abs m <= 2 ^ 24)%Z -> (-149 <= e <= 80)%Z ->
  fin (of_Z m e) = true /\ val (of_Z m e) = IZR m * pow2 e.
Proof.
  intros m e Hm He. generalize (binary_normalize_correct prec emax _ _ mode_NE m e false). cbv zeta. simpl round_mode.
  change (F2R {| Fnum := m; Fexp := e |}) with (IZR m * pow2 e).
  rewrite Rlt_bool_true.
  - intros (V & F & _). unfold of_Z. split; [exact F|]. rewrite V. apply rnd_format, format_multiple; [lia|exact Hm].
  - apply rnd_small with (24 + e)%Z; [lia|]. rewrite Rabs_mult, (Rabs_pos_eq (pow2 e)) by apply bpow_ge_0.
    rewrite <- abs_IZR, bpow_plus. apply Rmult_le_compat_r; [apply bpow_ge_0|].
    replace (pow2 24) with (IZR (2 ^ 24)) by (simpl; lra). now apply IZR_le.
Qed.

Lemma fone_is : fin fone = true /\ val fone = 1.
Proof. destruct (of_Z_exact 1 0) as [F V]; try lia. split; [exact F|]. unfold fone. rewrite V. simpl. lra. Qed.
Lemma fzero_is : fin fzero = true /\ val fzero = 0.
Proof. split; reflexivity. Qed.

Lemma fmax_is : forall x y, fin x = true -> fin y = true -> fin (fmax x y) = true /\ val (fmax x y) = Rmax (val x) (val y).
Proof.
  intros x y Fx Fy. unfold fmax. rewrite Bltb_correct by assumption.
  destruct (Rlt_bool_spec (val x) (val y)); split; auto; [rewrite Rmax_right | rewrite Rmax_left]; lra.
Qed.
Lemma relu_is : forall x, fin x = true -> fin (relu x) = true /\ val (relu x) = Rmax 0 (val x).
Proof. intros x Fx. exact (fmax_is fzero x eq_refl Fx). Qed.
