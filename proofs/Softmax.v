(* A softmax head whose selected keys have one score and whose other keys are lower by at least 104. *)
From Coq Require Import ZArith Reals List Lia Lra Bool Permutation.
From Flocq Require Import Core Relative BinarySingleNaN.
From Capax Require Import Binary32 Sums.
Import ListNotations.
Open Scope R_scope.
Notation u := (pow2 (-24)).
Notation eta := (pow2 (-150)).

Definition top (scores : list f32) : f32 := fold_left fmax (tl scores) (hd fzero scores).
Definition products (a b : list f32) : list term := map (fun p => P (fst p) (snd p)) (combine a b).

(* r is the mean of the values under the softmax of the scores: sums in any order, divided at the end or weight by weight. *)
Definition mean_of (e : f32 -> f32) (scores values : list f32) (r : f32) : Prop :=
  let es := map (fun s => e (fsub s (top scores))) scores in
  exists z, sums (map V es) z /\
    ((exists num, sums (products es values) num /\ r = fdiv num z) \/
     sums (products (map (fun x => fdiv x z) es) values) r).

(* A key as a head sees it: is it selected, its score, its value. *)
Definition key := (bool * (f32 * f32))%type.
Definition chosen (x : key) := fst x.
Definition score (x : key) := fst (snd x).
Definition value (x : key) := snd (snd x).
Fixpoint count (xs : list key) : Z := match xs with [] => 0 | x :: r => (if chosen x then 1 else 0) + count r end%Z.
Fixpoint ssum (xs : list key) : R := match xs with [] => 0 | x :: r => (if chosen x then val (value x) else 0) + ssum r end.
Fixpoint sabs (xs : list key) : R := match xs with [] => 0 | x :: r => (if chosen x then Rabs (val (value x)) else 0) + sabs r end.
Fixpoint snz (xs : list key) : Z :=
  match xs with [] => 0 | x :: r => (if chosen x then zero_or_not (V (value x)) else 0) + snz r end%Z.

(* T is the score of the selected keys. *)
Definition separated (T : R) (x : key) : Prop :=
  fin (score x) = true /\ Rabs (val (score x)) <= pow2 100 /\ (if chosen x then val (score x) = T else val (score x) <= T - 104).

Lemma count_pos : forall xs, (0 <= count xs)%Z.
Proof. induction xs as [|x xs]; simpl; [lia|]. destruct (chosen x); lia. Qed.
Lemma snz_range : forall xs, (0 <= snz xs <= count xs)%Z.
Proof.
  induction xs as [|x xs]; simpl; [lia|]. pose proof (zero_or_not_range (V (value x))). destruct (chosen x); lia.
Qed.
Lemma sabs_pos : forall xs, 0 <= sabs xs.
Proof. induction xs as [|x xs]; simpl; [lra|]. pose proof (Rabs_pos (val (value x))). destruct (chosen x); lra. Qed.
Lemma ssum_abs : forall xs, Rabs (ssum xs) <= sabs xs.
Proof.
  induction xs as [|x xs]; simpl; [rewrite Rabs_R0; lra|].
  pose proof (Rabs_triang (if chosen x then val (value x) else 0) (ssum xs)).
  destruct (chosen x); [|rewrite Rabs_R0 in H]; lra.
Qed.
Lemma count_0 : forall xs, count xs = 0%Z -> ssum xs = 0 /\ Forall (fun x => chosen x = false) xs.
Proof.
  induction xs as [|x xs IH]; simpl; intros H; [auto|]. pose proof (count_pos xs).
  destruct (chosen x) eqn:C; [lia|]. destruct IH as [S F]; [lia|]. split; [lra|]. now constructor.
Qed.
Lemma count_1 : forall xs, count xs = 1%Z -> Forall (fun x => chosen x = true -> val (value x) = ssum xs) xs.
Proof.
  induction xs as [|x xs IH]; simpl; intros H; [constructor|]. pose proof (count_pos xs). destruct (chosen x) eqn:C.
  - destruct (count_0 xs) as [S F]; [lia|]. rewrite S. constructor; [intros; lra|].
    eapply Forall_impl; [|exact F]. cbv beta. intros. congruence.
  - rewrite Rplus_0_l. constructor; [congruence|]. apply IH. lia.
Qed.

Lemma chosen_exists : forall xs, (1 <= count xs)%Z -> exists x, In x xs /\ chosen x = true.
Proof.
  induction xs as [|x xs IH]; simpl; intros C; [lia|]. destruct (chosen x) eqn:D; [exists x; split; [now left|exact D]|].
  destruct IH as (y & I & Y); [lia|]. exists y. split; [now right|exact Y].
Qed.
Lemma one_format : forall xs, count xs = 1%Z -> format (ssum xs).
Proof.
  intros xs K1. destruct (chosen_exists xs) as (x & I & Y); [lia|].
  rewrite <- (proj1 (Forall_forall _ _) (count_1 xs K1) x I Y). apply format_val.
Qed.

(* The greatest score. *)
Lemma top_from : forall T l a, fin a = true -> Forall (fun s => fin s = true /\ val s <= T) l -> val a <= T ->
  (val a = T \/ Exists (fun s => val s = T) l) -> fin (fold_left fmax l a) = true /\ val (fold_left fmax l a) = T.
Proof.
  induction l as [|s l IH]; simpl; intros a Fa H Ha E.
  - destruct E as [E|E]; [auto | inversion E].
  - inversion H as [|? ? [Fs Hs] Hl]; subst. destruct (fmax_is a s Fa Fs) as [Fm Vm]. apply IH; auto.
    + rewrite Vm. now apply Rmax_lub.
    + rewrite Vm. destruct E as [E|E]; [left; rewrite Rmax_left; lra|]. inversion E; subst; auto.
      left. rewrite Rmax_right; lra.
Qed.
Lemma top_is : forall T xs, Forall (separated T) xs -> (1 <= count xs)%Z ->
  fin (top (map score xs)) = true /\ val (top (map score xs)) = T.
Proof.
  intros T xs H C.
  assert (L : Forall (fun s => fin s = true /\ val s <= T) (map score xs)).
  { rewrite Forall_map. eapply Forall_impl; [|exact H]. cbv beta. intros x (F & _ & S). split; [exact F|]. destruct (chosen x); lra. }
  assert (E : Exists (fun s => val s = T) (map score xs)).
  { clear L. induction H as [|x xs (F & _ & S) _ IH]; simpl in *; [lia|].
    destruct (chosen x) eqn:D; [now left | right; apply IH; lia]. }
  destruct xs as [|x xs]; [simpl in C; lia|]. unfold top. simpl in *. inversion L as [|? ? [Fs Vs] Ll]; subst.
  apply top_from; auto. inversion E; auto.
Qed.

(* exp of the difference to the greatest score is 1 for the selected keys and 0 for the others. *)
Lemma numerator : forall e T xs x, exp_ok e -> Forall (separated T) xs -> (1 <= count xs)%Z -> In x xs ->
  e (fsub (score x) (top (map score xs))) = if chosen x then fone else fzero.
Proof.
  intros e T xs x E H C I. destruct (top_is T xs H C) as [Ft Vt]. rewrite Forall_forall in H. destruct (H x I) as (Fs & Bs & S).
  assert (BT : Rabs T <= pow2 100).
  { clear S Fs Bs I x. pose proof (chosen_exists xs C) as X.
    destruct X as (x & I & X). destruct (H x I) as (_ & B & S). rewrite X in S. now rewrite <- S. }
  assert (B : Rabs (val (score x) - val (top (map score xs))) <= pow2 huge).
  { rewrite Vt. unfold Rminus. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
    apply Rle_trans with (2 * pow2 100); [lra|]. change 2 with (pow2 1). rewrite <- bpow_plus. apply bpow_le. unfold huge. lia. }
  destruct (sub_round _ _ Fs Ft B) as [Fd Vd]. rewrite Vt in Vd. destruct (chosen x).
  - apply (exp_0 e E); [exact Fd|]. rewrite Vd, S, Rminus_diag_eq by reflexivity. apply round_0, valid_rnd_N.
  - apply (exp_low e E); [exact Fd|]. rewrite Vd, <- (rnd_format (-104)) by (apply (format_int (-104)); lia).
    apply rnd_monotone. lra.
Qed.

(* The terms c * value for the selected keys, 0 * value for the others. *)
Definition weighted (g : key -> f32) (xs : list key) : list term := map (fun x => P (g x) (value x)) xs.
Lemma weighted_sums : forall g c xs, 0 <= c -> Forall (fun x => val (g x) = if chosen x then c else 0) xs ->
  rsum (weighted g xs) = c * ssum xs /\ rabs (weighted g xs) = c * sabs xs /\ (nz (weighted g xs) <= snz xs)%Z.
Proof.
  intros g c xs Hc H. induction H as [|x xs Hx H (A & B & C)]; simpl; [repeat split; try lra; lia|].
  rewrite A, B, Hx, Rabs_mult. unfold zero_or_not in *. simpl tval. rewrite Hx. destruct (chosen x).
  - rewrite (Rabs_pos_eq c) by exact Hc. repeat split; try lra.
    destruct (Req_bool_spec (val (value x)) 0) as [E|E].
    + rewrite E, Rmult_0_r, Req_bool_true by reflexivity. lia.
    + destruct (Req_bool (c * val (value x)) 0); lia.
  - rewrite Rabs_R0, Rmult_0_l, Req_bool_true by reflexivity. repeat split; try lra; lia.
Qed.

Lemma total_is : forall xs z, (1 <= count xs <= most_terms)%Z ->
  sums (map V (map (fun x => if chosen x then fone else fzero) xs)) z -> fin z = true /\ val z = IZR (count xs).
Proof.
  intros xs z C S. rewrite map_map in S.
  assert (A : rsum (map (fun x : key => V (if chosen x then fone else fzero)) xs) = IZR (count xs) /\
              rabs (map (fun x : key => V (if chosen x then fone else fzero)) xs) = IZR (count xs)).
  { clear. induction xs as [|x xs [A B]]; simpl; [auto|]. rewrite A, B, plus_IZR. destruct (chosen x).
    - rewrite (proj2 fone_is), Rabs_R1. auto.
    - rewrite (proj2 fzero_is), Rabs_R0. auto. }
  destruct A as [A B]. rewrite <- A. apply (sums_exact 0); [lia| | |exact S].
  - rewrite Forall_map. apply Forall_forall. intros x _. simpl. destruct (chosen x); [apply fone_is|apply fzero_is].
  - split.
    + rewrite Forall_map. apply Forall_forall. intros x _. simpl tval.
      destruct (chosen x); [exists 1%Z; rewrite (proj2 fone_is) | exists 0%Z; rewrite (proj2 fzero_is)]; simpl; lra.
    + rewrite B. simpl (pow2 0). rewrite Rmult_1_r. apply IZR_le. unfold most_terms in C. lia.
Qed.

(* The weight of a selected key: exactly round(1/k). *)
Lemma weight_is : forall z k, (1 <= k <= most_terms)%Z -> fin z = true -> val z = IZR k ->
  fin (fdiv fone z) = true /\ val (fdiv fone z) = rnd (1 / IZR k) /\ fin (fdiv fzero z) = true /\ val (fdiv fzero z) = 0.
Proof.
  intros z k C Fz Vz. assert (K : 1 <= IZR k) by (apply (IZR_le 1); lia).
  assert (I : 0 < / IZR k <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (N : val z <> 0) by (rewrite Vz; lra).
  assert (One : 1 <= pow2 huge) by (change 1 with (pow2 0); apply bpow_le; unfold huge; lia).
  destruct fone_is as [F1 V1]. destruct fzero_is as [F0 V0].
  destruct (div_round fone z F1 N) as [Fw Vw].
  { rewrite V1, Vz. unfold Rdiv. rewrite Rmult_1_l, Rabs_pos_eq; lra. }
  destruct (div_round fzero z F0 N) as [Fv Vv].
  { rewrite V0. unfold Rdiv. rewrite Rmult_0_l, Rabs_R0. apply bpow_ge_0. }
  rewrite V1, Vz in Vw. rewrite V0 in Vv. unfold Rdiv in Vv. rewrite Rmult_0_l in Vv.
  repeat split; auto. rewrite Vv. apply round_0, valid_rnd_N.
Qed.
Lemma inverse_error : forall k, (1 <= k <= most_terms)%Z -> Rabs (rnd (1 / IZR k) - / IZR k) <= u * / IZR k.
Proof.
  intros k C. assert (K : 1 <= IZR k <= IZR most_terms) by (split; apply IZR_le; lia).
  assert (I : 0 < / IZR k) by (apply Rinv_0_lt_compat; lra).
  unfold Rdiv. rewrite Rmult_1_l.
  pose proof (relative_error_N_FLT radix2 (3 - 128 - 24) 24 eq_refl (fun z => negb (Z.even z)) (/ IZR k)) as R.
  rewrite (Rabs_pos_eq (/ IZR k)) in R by lra. replace (/ 2 * pow2 (- (24) + 1)) with u in R by (simpl; lra).
  apply R. apply Rle_trans with (pow2 (-20)); [apply bpow_le; lia|].
  change (pow2 (-20)) with (/ IZR (2 ^ 20)). apply Rinv_le_contravar; unfold most_terms in K; lra.
Qed.

(* What the output of the head is: the mean of the selected values, and exactly the value if one key is selected. *)
Theorem mean_error : forall e T xs r, exp_ok e -> Forall (separated T) xs -> (1 <= count xs <= most_terms)%Z ->
  Forall (fun x => fin (value x) = true) xs -> sabs xs <= pow2 99 ->
  mean_of e (map score xs) (map value xs) r ->
  fin r = true /\
  Rabs (val r - ssum xs / IZR (count xs)) <= IZR (4 * snz xs + 2) * (u * (sabs xs / IZR (count xs)) + eta) /\
  (count xs = 1%Z -> val r = ssum xs).
Proof.
  intros e T xs r E H C Fv B (z & Sz & M).
  set (sel := fun x : key => if chosen x then fone else fzero).
  assert (Es : map (fun s => e (fsub s (top (map score xs)))) (map score xs) = map sel xs).
  { rewrite map_map. apply map_ext_in. intros x I. apply (numerator e T); auto; lia. }
  rewrite Es in *. clear Es E H. destruct (total_is xs z C Sz) as [Fz Vz].
  set (k := count xs) in *. set (S := ssum xs). set (A := sabs xs). set (n := snz xs).
  assert (K : 1 <= IZR k) by (apply (IZR_le 1); lia).
  assert (I : 0 < / IZR k <= 1).
  { split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  pose proof (snz_range xs) as N. fold k n in N. pose proof (sabs_pos xs) as A0. fold A in A0, B.
  pose proof (ssum_abs xs) as SA. fold S A in SA. pose proof (weight_is z k C Fz Vz) as (Fw & Vw & F0 & V0).
  pose proof (u_pos) as U. pose proof eta_pos as Eta.
  assert (N0 : 0 <= IZR n) by (apply IZR_le; lia).
  assert (NU : IZR (4 * n) * u <= / 4).
  { apply Rle_trans with (IZR (2 ^ 22) * u); [apply Rmult_le_compat_r; [lra|]; apply IZR_le; unfold most_terms in C; lia|].
    replace (IZR (2 ^ 22)) with (pow2 22) by (simpl; lra). rewrite <- bpow_plus. simpl. lra. }
  assert (N4 : 0 <= IZR (4 * n)) by (apply IZR_le; lia).
  assert (Sk : Rabs (S / IZR k) <= A / IZR k).
  { unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ IZR k)) by lra. apply Rmult_le_compat_r; lra. }
  assert (Ak : 0 <= A / IZR k) by (apply Rmult_le_pos; lra).
  assert (UA : 0 <= u * (A / IZR k)) by (apply Rmult_le_pos; lra).
  assert (prodw : forall g : key -> f32, map (fun p => P (fst p) (snd p)) (combine (map g xs) (map value xs)) = weighted g xs).
  { intros g. clear. unfold weighted. induction xs as [|x xs IH]; simpl; [reflexivity|]. now rewrite IH. }
  rewrite plus_IZR. destruct M as [(num & Sn & ->)|Sr].
  - unfold products in Sn. rewrite prodw in Sn.
    destruct (weighted_sums sel 1 xs) as (W1 & W2 & W3); [lra| |].
    { apply Forall_forall. intros x _. unfold sel. destruct (chosen x); [apply fone_is|apply fzero_is]. }
    rewrite Rmult_1_l in W1, W2. fold S in W1. fold A in W2. fold n in W3.
    assert (Ft : Forall tfin (weighted sel xs)).
    { unfold weighted. rewrite Forall_map. eapply Forall_impl; [|exact Fv]. cbv beta. intros x F. split; [|exact F].
      unfold sel. destruct (chosen x); [apply fone_is|apply fzero_is]. }
    destruct (sums_error _ _ Ft ltac:(unfold most_terms in *; lia) ltac:(rewrite W2; apply Rle_trans with (pow2 99); [exact B|apply bpow_le; lia]) Sn) as [Fn En].
    rewrite W1, W2 in En.
    assert (En' : Rabs (val num - S) <= IZR (4 * n) * (u * A + eta)).
    { eapply Rle_trans; [exact En|]. apply Rmult_le_compat_r; [assert (0 <= u * A) by (apply Rmult_le_pos; lra); lra|].
      apply IZR_le. lia. }
    assert (D : Rabs (val num / IZR k - S / IZR k) <= IZR (4 * n) * (u * (A / IZR k) + eta)).
    { replace (val num / IZR k - S / IZR k) with ((val num - S) * / IZR k) by (unfold Rdiv; ring).
      rewrite Rabs_mult, (Rabs_pos_eq (/ IZR k)) by lra.
      apply Rle_trans with (IZR (4 * n) * (u * A + eta) * / IZR k); [apply Rmult_le_compat_r; lra|].
      replace (IZR (4 * n) * (u * A + eta) * / IZR k) with (IZR (4 * n) * (u * (A / IZR k) + eta * / IZR k)) by (unfold Rdiv; ring).
      apply Rmult_le_compat_l; [exact N4|]. apply Rplus_le_compat_l. rewrite <- (Rmult_1_r eta) at 2. apply Rmult_le_compat_l; lra. }
    set (q := val num / IZR k) in *.
    assert (D2 : IZR (4 * n) * (u * (A / IZR k) + eta) <= / 4 * (A / IZR k) + / 4).
    { rewrite Rmult_plus_distr_l, <- Rmult_assoc. apply Rplus_le_compat; [apply Rmult_le_compat_r; lra|].
      apply Rle_trans with (IZR (4 * n) * u); [apply Rmult_le_compat_l; [lra|apply bpow_le; lia]|lra]. }
    assert (Q : Rabs q <= A / IZR k + IZR (4 * n) * (u * (A / IZR k) + eta)).
    { replace q with (S / IZR k + (q - S / IZR k)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. }
    assert (AB : A / IZR k <= pow2 99).
    { apply Rle_trans with (A * 1); [apply Rmult_le_compat_l; lra|lra]. }
    assert (QB : Rabs (val num / val z) <= pow2 huge).
    { rewrite Vz. fold q. apply Rle_trans with (2 * pow2 99 + 1); [lra|]. apply small_huge. apply bpow_le. lia. }
    destruct (div_round num z Fn ltac:(rewrite Vz; lra) QB) as [Fr Vr]. rewrite Vz in Vr. fold q in Vr.
    split; [exact Fr|]. rewrite Vr. split.
    + pose proof (rnd_error q) as RE.
      replace (rnd q - S / IZR k) with ((rnd q - q) + (q - S / IZR k)) by ring.
      eapply Rle_trans; [apply Rabs_triang|].
      assert (UQ : u * Rabs q <= u * (A / IZR k) + u * (IZR (4 * n) * (u * (A / IZR k) + eta))).
      { rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; lra. }
      assert (UQ2 : u * (IZR (4 * n) * (u * (A / IZR k) + eta)) <= 1 * (u * (A / IZR k) + eta)).
      { rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra. }
      rewrite Rmult_plus_distr_r. simpl (IZR 2). lra.
    + intros K1. assert (X : Forall (fun t => tval t = 0 \/ tval t = S) (weighted sel xs)).
      { unfold weighted. rewrite Forall_map. eapply Forall_impl; [|exact (count_1 xs K1)]. cbv beta. intros x Hx. unfold sel. simpl tval.
        destruct (chosen x); [right; rewrite (proj2 fone_is), (Hx eq_refl); apply Rmult_1_l | left; rewrite (proj2 fzero_is); apply Rmult_0_l]. }
      assert (FS : format S) by (now apply one_format).
      destruct (sums_only S (weighted sel xs) num FS) as [_ Vn]; auto.
      * apply Rle_trans with A; [exact SA|]. apply Rle_trans with (pow2 99); [exact B|apply bpow_le; unfold huge; lia].
      * split; [exact X|]. lia.
      * unfold q. rewrite Vn, W1, K1. unfold Rdiv. rewrite Rinv_1, Rmult_1_r. now apply rnd_format.
  - unfold products in Sr. rewrite map_map, prodw in Sr.
    set (g := fun x => fdiv (sel x) z) in *. set (c := rnd (1 / IZR k)) in *.
    pose proof (inverse_error k C) as IE. fold c in IE.
    assert (c0 : 0 <= c <= 2 * / IZR k).
    { assert (u <= / 4) by (replace (/ 4) with (pow2 (-2)) by (simpl; lra); apply bpow_le; lia).
      assert (u * / IZR k <= / 4 * / IZR k) by (apply Rmult_le_compat_r; lra).
      apply Rabs_le_inv in IE. lra. }
    destruct (weighted_sums g c xs) as (W1 & W2 & W3); [apply c0| |].
    { apply Forall_forall. intros x _. unfold g, sel. destruct (chosen x); [exact Vw|exact V0]. }
    fold S in W1. fold A in W2. fold n in W3.
    assert (Ft : Forall tfin (weighted g xs)).
    { unfold weighted. rewrite Forall_map. eapply Forall_impl; [|exact Fv]. cbv beta. intros x F. split; [|exact F].
      unfold g, sel. destruct (chosen x); [exact Fw|exact F0]. }
    assert (cA : c * A <= A / IZR k + u * (A / IZR k)).
    { replace (A / IZR k + u * (A / IZR k)) with ((/ IZR k + u * / IZR k) * A) by (unfold Rdiv; ring).
      apply Rmult_le_compat_r; [exact A0|]. apply Rabs_le_inv in IE. lra. }
    assert (AB : A / IZR k <= pow2 99).
    { apply Rle_trans with (A * 1); [apply Rmult_le_compat_l; lra|lra]. }
    assert (u1 : u <= 1) by (change 1 with (pow2 0); apply bpow_le; lia).
    assert (uA1 : u * (A / IZR k) <= 1 * (A / IZR k)) by (apply Rmult_le_compat_r; lra).
    destruct (sums_error _ _ Ft ltac:(unfold most_terms in *; lia)
      ltac:(rewrite W2; change 100%Z with (1 + 99)%Z; rewrite bpow_plus; simpl (pow2 1); lra) Sr) as [Fr Er].
    rewrite W1, W2 in Er. split; [exact Fr|]. split.
    + assert (Er' : Rabs (val r - c * S) <= IZR (4 * n) * (u * (A / IZR k + u * (A / IZR k)) + eta)).
      { eapply Rle_trans; [exact Er|]. assert (0 <= c * A) by (apply Rmult_le_pos; lra).
        assert (0 <= u * (c * A)) by (apply Rmult_le_pos; lra).
        apply Rle_trans with (IZR (4 * n) * (u * (c * A) + eta)); [apply Rmult_le_compat_r; [lra|apply IZR_le; lia]|].
        apply Rmult_le_compat_l; [exact N4|]. apply Rplus_le_compat_r, Rmult_le_compat_l; lra. }
      assert (D : Rabs (c * S - S / IZR k) <= u * (A / IZR k)).
      { replace (c * S - S / IZR k) with ((c - / IZR k) * S) by (unfold Rdiv; ring). rewrite Rabs_mult.
        replace (u * (A / IZR k)) with (u * / IZR k * A) by (unfold Rdiv; ring).
        apply Rmult_le_compat; [apply Rabs_pos|apply Rabs_pos|exact IE|exact SA]. }
      assert (X : IZR (4 * n) * (u * (u * (A / IZR k))) <= 1 * (u * (A / IZR k))).
      { rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra. }
      replace (val r - S / IZR k) with ((val r - c * S) + (c * S - S / IZR k)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rmult_plus_distr_r. simpl (IZR 2).
      rewrite (Rmult_plus_distr_l u) in Er'. rewrite !(Rmult_plus_distr_l (IZR (4 * n))) in Er'.
      rewrite (Rmult_plus_distr_l (IZR (4 * n))). lra.
    + intros K1. assert (c1 : c = 1).
      { unfold c. rewrite K1. replace (1 / 1) with 1 by (unfold Rdiv; rewrite Rinv_1; ring). apply rnd_format, (format_int 1). lia. }
      rewrite c1, Rmult_1_l in W1.
      assert (X : Forall (fun t => tval t = 0 \/ tval t = S) (weighted g xs)).
      { unfold weighted. rewrite Forall_map. eapply Forall_impl; [|exact (count_1 xs K1)]. cbv beta. intros x Hx. unfold g, sel. simpl tval.
        destruct (chosen x); [right; rewrite Vw, c1, (Hx eq_refl); apply Rmult_1_l | left; rewrite V0; apply Rmult_0_l]. }
      assert (FS : format S) by (now apply one_format).
      destruct (sums_only S (weighted g xs) r FS) as [_ Vn]; auto.
      * apply Rle_trans with A; [exact SA|]. apply Rle_trans with (pow2 99); [exact B|apply bpow_le; unfold huge; lia].
      * split; [exact X|]. lia.
      * now rewrite Vn, W1.
Qed.
