(* Sums of products in any order, every product rounded or fused: when they are exact, and how far off they can be. *)
From Coq Require Import ZArith Reals List Lia Lra Bool Permutation.
From Flocq Require Import Core BinarySingleNaN.
From Capax Require Import Binary32.
Import ListNotations.
Open Scope R_scope.

(* A term is a number or a product of two. A tree is an order of additions. *)
Inductive term := V (x : f32) | P (x y : f32).
Inductive tree := Leaf (t : term) | Add (l r : tree) | Fma (x y : f32) (l : tree).
Fixpoint eval (t : tree) : f32 :=
  match t with
  | Leaf (V x) => x
  | Leaf (P x y) => fmul x y
  | Add l r => fadd (eval l) (eval r)
  | Fma x y l => ffma x y (eval l)
  end.
Fixpoint terms (t : tree) : list term :=
  match t with Leaf x => [x] | Add l r => terms l ++ terms r | Fma x y l => P x y :: terms l end.

(* r is a sum of the terms in some order; accumulators may start at zero. *)
Definition sums (ts : list term) (r : f32) : Prop :=
  exists k t, Permutation (terms t) (repeat (V fzero) k ++ ts) /\ r = eval t.

Definition tval (t : term) : R := match t with V x => val x | P x y => val x * val y end.
Definition tfin (t : term) : Prop := match t with V x => fin x = true | P x y => fin x = true /\ fin y = true end.
Fixpoint rsum (l : list term) : R := match l with [] => 0 | t :: r => tval t + rsum r end.
Fixpoint rabs (l : list term) : R := match l with [] => 0 | t :: r => Rabs (tval t) + rabs r end.
Definition zero_or_not (t : term) : Z := if Req_bool (tval t) 0 then 0 else 1.
Fixpoint nz (l : list term) : Z := match l with [] => 0%Z | t :: r => (zero_or_not t + nz r)%Z end.

Lemma rsum_app : forall a b, rsum (a ++ b) = rsum a + rsum b.
Proof. induction a; intros; simpl; [lra | rewrite IHa; lra]. Qed.
Lemma rabs_app : forall a b, rabs (a ++ b) = rabs a + rabs b.
Proof. induction a; intros; simpl; [lra | rewrite IHa; lra]. Qed.
Lemma nz_app : forall a b, nz (a ++ b) = (nz a + nz b)%Z.
Proof. induction a; intros; simpl; [lia | rewrite IHa; lia]. Qed.
Lemma zero_or_not_range : forall t, (0 <= zero_or_not t <= 1)%Z.
Proof. intros. unfold zero_or_not. destruct (Req_bool (tval t) 0); lia. Qed.
Lemma nz_pos : forall l, (0 <= nz l)%Z.
Proof. induction l; simpl; [lia|]. generalize (zero_or_not_range a). lia. Qed.
Lemma rabs_pos : forall l, 0 <= rabs l.
Proof. induction l; simpl; [lra|]. generalize (Rabs_pos (tval a)). lra. Qed.
Lemma rsum_abs : forall l, Rabs (rsum l) <= rabs l.
Proof. induction l; simpl; [rewrite Rabs_R0; lra|]. generalize (Rabs_triang (tval a) (rsum l)). lra. Qed.
Lemma rsum_perm : forall a b, Permutation a b -> rsum a = rsum b.
Proof. induction 1; simpl; lra. Qed.
Lemma rabs_perm : forall a b, Permutation a b -> rabs a = rabs b.
Proof. induction 1; simpl; lra. Qed.
Lemma nz_perm : forall a b, Permutation a b -> nz a = nz b.
Proof. induction 1; simpl; lia. Qed.
Lemma zeros_neutral : forall k l, rsum (repeat (V fzero) k ++ l) = rsum l /\ rabs (repeat (V fzero) k ++ l) = rabs l /\
  nz (repeat (V fzero) k ++ l) = nz l.
Proof.
  induction k as [|k IH]; intros l; simpl; [auto|]. destruct (IH l) as (A & B & C). rewrite A, B, C.
  rewrite Rabs_R0. unfold zero_or_not. simpl tval. rewrite Req_bool_true by reflexivity. repeat split; try lra; lia.
Qed.
Lemma zeros_forall : forall (Q : term -> Prop) k l, Q (V fzero) -> Forall Q l -> Forall Q (repeat (V fzero) k ++ l).
Proof. induction k; simpl; auto. Qed.
Lemma nz_0 : forall l, nz l = 0%Z -> rsum l = 0.
Proof.
  induction l as [|t l IH]; simpl; intros H; [reflexivity|]. generalize (zero_or_not_range t) (nz_pos l). intros.
  rewrite IH by lia. unfold zero_or_not in H. destruct (Req_bool_spec (tval t) 0) as [E|E]; [rewrite E; lra|lia].
Qed.

(* Exact sums: where every part of the terms has a sum that is a number of binary32. *)
Section Exact.
Variable Q : list term -> Prop.
Hypothesis part : forall a b, Q (a ++ b) -> Q a /\ Q b.
Hypothesis good : forall l, Q l -> format (rsum l) /\ Rabs (rsum l) <= pow2 huge.

Lemma tree_exact : forall t, Forall tfin (terms t) -> Q (terms t) -> fin (eval t) = true /\ val (eval t) = rsum (terms t).
Proof.
  induction t as [[x|x y]|l IHl r IHr|x y l IHl]; simpl; intros F H.
  - inversion F; subst. split; [assumption|]. lra.
  - inversion F as [|a la Ft _]; subst. simpl in Ft. destruct Ft as [Fx Fy]. destruct (good _ H) as [G B]. simpl in G, B. rewrite Rplus_0_r in *.
    destruct (mul_round x y Fx Fy B) as [F1 V1]. split; [exact F1|]. rewrite V1. now apply rnd_format.
  - apply Forall_app in F. destruct F as [Fl Fr]. destruct (part _ _ H) as [Hl Hr].
    destruct (IHl Fl Hl) as [F1 V1]. destruct (IHr Fr Hr) as [F2 V2]. destruct (good _ H) as [G B].
    rewrite rsum_app in *. rewrite <- V1, <- V2 in *. destruct (add_round _ _ F1 F2 B) as [F3 V3].
    split; [exact F3|]. rewrite V3. now apply rnd_format.
  - inversion F as [|a la Ft Fl]; subst. simpl in Ft. destruct Ft as [Fx Fy]. destruct (part [P x y] _ H) as [_ Hl].
    destruct (IHl Fl Hl) as [F1 V1]. destruct (good _ H) as [G B]. simpl in G, B. rewrite <- V1 in *.
    destruct (fma_round x y _ Fx Fy F1 B) as [F3 V3]. split; [exact F3|]. rewrite V3. now apply rnd_format.
Qed.
End Exact.

(* Terms that are multiples of 2^e and add up, without signs, to at most 2^24 of them. *)
Definition on_grid (e : Z) (l : list term) : Prop :=
  Forall (fun t => exists n, tval t = IZR n * pow2 e) l /\ rabs l <= IZR (2 ^ 24) * pow2 e.
Lemma grid_sum : forall e l, Forall (fun t => exists n, tval t = IZR n * pow2 e) l -> exists n, rsum l = IZR n * pow2 e.
Proof.
  induction 1 as [|t l [n Hn] _ [m Hm]]; simpl; [exists 0%Z; simpl; lra|].
  exists (n + m)%Z. rewrite plus_IZR. lra.
Qed.
Theorem sums_exact : forall e ts r, (-149 <= e <= 80)%Z -> Forall tfin ts -> on_grid e ts -> sums ts r ->
  fin r = true /\ val r = rsum ts.
Proof.
  intros e ts r He F [G B] (k & t & Pm & ->). destruct (zeros_neutral k ts) as (S & A & _).
  rewrite <- S, <- (rsum_perm _ _ Pm). apply (tree_exact (on_grid e)).
  - intros a b [Ha Hb]. apply Forall_app in Ha. destruct Ha. rewrite rabs_app in Hb.
    generalize (rabs_pos a) (rabs_pos b). intros. split; split; auto; lra.
  - intros l [Hl Hb]. destruct (grid_sum _ _ Hl) as [n Hn]. rewrite Hn.
    pose proof (rsum_abs l) as T. rewrite Hn, Rabs_mult, (Rabs_pos_eq (pow2 e)) in T by apply bpow_ge_0.
    assert (N : (Z.abs n <= 2 ^ 24)%Z).
    { apply le_IZR. rewrite abs_IZR. apply Rmult_le_reg_r with (pow2 e); [apply bpow_gt_0|]. lra. }
    split; [apply format_multiple; [lia|exact N]|]. rewrite Rabs_mult, (Rabs_pos_eq (pow2 e)) by apply bpow_ge_0.
    apply Rle_trans with (IZR (2 ^ 24) * pow2 e); [lra|]. replace (IZR (2 ^ 24)) with (pow2 24) by (simpl; lra).
    rewrite <- bpow_plus. apply bpow_le. unfold huge. lia.
  - apply Permutation_sym in Pm. eapply Permutation_Forall; [exact Pm|]. apply zeros_forall; [reflexivity|exact F].
  - split.
    + apply Permutation_sym in Pm. eapply Permutation_Forall; [exact Pm|]. apply zeros_forall; [|exact G].
      exists 0%Z. simpl. lra.
    + rewrite (rabs_perm _ _ Pm), A. exact B.
Qed.

(* At most one term is not zero: nothing is rounded if that term is a number of binary32. *)
Definition only (v : R) (l : list term) : Prop := Forall (fun t => tval t = 0 \/ tval t = v) l /\ (nz l <= 1)%Z.
Lemma only_sum : forall v l, only v l -> (rsum l = 0 /\ nz l = 0%Z) \/ (rsum l = v).
Proof.
  intros v l [F N]. induction F as [|t l Ht F IH]; simpl in *; [left; split; [lra|lia]|].
  generalize (zero_or_not_range t) (nz_pos l). intros. destruct IH as [[S Z0]|S]; [lia| |].
  - unfold zero_or_not in *. destruct (Req_bool_spec (tval t) 0) as [E|E]; [left; split; [lra|lia]|].
    right. destruct Ht; [contradiction|lra].
  - unfold zero_or_not in *. destruct (Req_bool_spec (tval t) 0) as [E|E]; [right; lra|].
    assert (nz l = 0)%Z by lia. rewrite nz_0 in S by assumption. destruct Ht; [contradiction|]. right. rewrite nz_0 by assumption. lra.
Qed.
Theorem sums_only : forall v ts r, format v -> Rabs v <= pow2 huge -> Forall tfin ts -> only v ts -> sums ts r ->
  fin r = true /\ val r = rsum ts.
Proof.
  intros v ts r Fv Bv F [G N] (k & t & Pm & ->). destruct (zeros_neutral k ts) as (S & _ & C).
  rewrite <- S, <- (rsum_perm _ _ Pm). apply (tree_exact (only v)).
  - intros a b [Ha Hb]. apply Forall_app in Ha. destruct Ha. rewrite nz_app in Hb.
    generalize (nz_pos a) (nz_pos b). intros. split; split; auto; lia.
  - intros l Hl. destruct (only_sum _ _ Hl) as [[E _]|E]; rewrite E; [|now split].
    rewrite Rabs_R0. split; [apply generic_format_0 | apply bpow_ge_0].
  - apply Permutation_sym in Pm. eapply Permutation_Forall; [exact Pm|]. apply zeros_forall; [reflexivity|exact F].
  - split; [|rewrite (nz_perm _ _ Pm), C; exact N].
    apply Permutation_sym in Pm. eapply Permutation_Forall; [exact Pm|]. apply zeros_forall; [|exact G]. now left.
Qed.

(* All other sums: n terms that are not zero, at most 1,024, are off by at most 2 n (2^-24 A + 2^-150), A the sum without signs. *)
Notation u := (pow2 (-24)).
Notation eta := (pow2 (-150)).
Definition most_terms := (2 ^ 10)%Z.
Lemma u_pos : 0 < u. Proof. apply bpow_gt_0. Qed.
Lemma eta_pos : 0 < eta. Proof. apply bpow_gt_0. Qed.

Lemma step_error : forall c1 c2 v1 v2 r1 r2 A1 A2, 0 <= c1 -> 0 <= c2 -> 0 <= A1 -> 0 <= A2 -> c1 + c2 <= IZR (2 ^ 14) ->
  Rabs r1 <= A1 -> Rabs r2 <= A2 -> Rabs (v1 - r1) <= c1 * (u * A1 + eta) -> Rabs (v2 - r2) <= c2 * (u * A2 + eta) ->
  Rabs (v1 + v2) <= 2 * (A1 + A2) + 1 /\
  Rabs (rnd (v1 + v2) - (r1 + r2)) <= (c1 + c2 + (1 + / 1024)) * (u * (A1 + A2) + eta).
Proof.
  intros c1 c2 v1 v2 r1 r2 A1 A2 C1 C2 P1 P2 C R1 R2 E1 E2. set (A := A1 + A2). set (c := c1 + c2).
  pose proof u_pos as U. pose proof eta_pos as H.
  assert (UA : 0 <= u * A) by (apply Rmult_le_pos; unfold A; lra).
  assert (K1 : c1 * (u * A1 + eta) <= c1 * (u * A + eta)).
  { apply Rmult_le_compat_l; [exact C1|]. apply Rplus_le_compat_r, Rmult_le_compat_l; unfold A; lra. }
  assert (K2 : c2 * (u * A2 + eta) <= c2 * (u * A + eta)).
  { apply Rmult_le_compat_l; [exact C2|]. apply Rplus_le_compat_r, Rmult_le_compat_l; unfold A; lra. }
  assert (D : Rabs (v1 + v2 - (r1 + r2)) <= c * (u * A + eta)).
  { replace (v1 + v2 - (r1 + r2)) with ((v1 - r1) + (v2 - r2)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. unfold c. lra. }
  assert (UC : u * c <= / 1024).
  { apply Rle_trans with (u * IZR (2 ^ 14)); [apply Rmult_le_compat_l; unfold c; lra|].
    replace (IZR (2 ^ 14)) with (pow2 14) by (simpl; lra). rewrite <- bpow_plus. simpl. lra. }
  assert (Cp : 0 <= c) by (unfold c; lra).
  assert (M : Rabs (v1 + v2) <= A + c * (u * A + eta)).
  { replace (v1 + v2) with ((r1 + r2) + (v1 + v2 - (r1 + r2))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang r1 r2). unfold A. unfold A in D. lra. }
  assert (CA : c * (u * A) <= / 4 * A).
  { replace (c * (u * A)) with (u * c * A) by ring. apply Rmult_le_compat_r; unfold A; lra. }
  assert (CE : c * eta <= / 4).
  { apply Rle_trans with (c * u); [apply Rmult_le_compat_l; [exact Cp|apply bpow_le; lia]|lra]. }
  split; [unfold A in *; lra|].
  pose proof (rnd_error (v1 + v2)) as RE.
  replace (rnd (v1 + v2) - (r1 + r2)) with ((rnd (v1 + v2) - (v1 + v2)) + (v1 + v2 - (r1 + r2))) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  assert (U1 : u * Rabs (v1 + v2) <= u * A + u * (c * (u * A + eta))).
  { rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; lra. }
  assert (U2 : u * (c * (u * A + eta)) <= / 1024 * (u * A + eta)).
  { rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra. }
  replace ((c1 + c2 + (1 + / 1024)) * (u * (A1 + A2) + eta))
    with (c * (u * A + eta) + (1 + / 1024) * (u * A + eta)) by (unfold c, A; ring).
  lra.
Qed.

Definition coefficient (n : Z) : R := (2 + / 1024) * IZR n - (1 + / 1024).
Lemma rabs_term : forall x y l, Rabs (tval (P x y)) <= rabs (P x y :: l).
Proof. intros. cbn [rabs]. generalize (rabs_pos l). lra. Qed.
Lemma small_huge : forall a, a <= pow2 100 -> 2 * a + 1 <= pow2 huge.
Proof.
  intros a H. apply Rle_trans with (2 * pow2 100 + pow2 100).
  - apply Rplus_le_compat; [lra|]. change 1 with (pow2 0). apply bpow_le. lia.
  - replace (2 * pow2 100 + pow2 100) with (3 * pow2 100) by ring. change huge with (10 + 100)%Z. rewrite bpow_plus.
    apply Rmult_le_compat_r; [apply bpow_ge_0|]. simpl. lra.
Qed.
Lemma coefficient_le : forall n, (n <= most_terms)%Z -> coefficient n <= IZR (2 ^ 14).
Proof. intros n H. apply IZR_le in H. unfold coefficient, most_terms in *. simpl in *. lra. Qed.
Lemma coefficient_pos : forall n, (1 <= n)%Z -> 1 <= coefficient n.
Proof. intros n H. apply IZR_le in H. unfold coefficient. lra. Qed.
Lemma coefficient_1 : coefficient 1 = 1.
Proof. unfold coefficient. lra. Qed.
Lemma coefficient_add : forall n m, coefficient n + coefficient m + (1 + / 1024) = coefficient (n + m).
Proof. intros. unfold coefficient. rewrite plus_IZR. ring. Qed.

Definition bounded (l : list term) (x : f32) : Prop := fin x = true /\
  ((nz l = 0%Z /\ val x = 0) \/
   ((1 <= nz l)%Z /\ Rabs (val x - rsum l) <= coefficient (nz l) * (u * rabs l + eta))).
Lemma bounded_size : forall l x, (nz l <= most_terms)%Z -> rabs l <= pow2 100 -> bounded l x -> Rabs (val x) <= 2 * rabs l + 1.
Proof.
  intros l x N B [F [[Z0 E]|[N1 E]]]; pose proof (rabs_pos l).
  - rewrite E, Rabs_R0. lra.
  - pose proof (coefficient_pos _ N1).
    destruct (step_error (coefficient (nz l)) 0 (val x) 0 (rsum l) 0 (rabs l) 0) as [M _]; try lra.
    + rewrite Rplus_0_r. now apply coefficient_le.
    + apply rsum_abs.
    + rewrite Rabs_R0; lra.
    + rewrite Rminus_0_r, Rabs_R0. lra.
    + rewrite !Rplus_0_r in M. exact M.
Qed.
Lemma join : forall a b x y, (nz a + nz b <= most_terms)%Z -> rabs a + rabs b <= pow2 100 -> bounded a x -> bounded b y ->
  Rabs (val x + val y) <= pow2 huge /\
  ((nz a + nz b = 0)%Z /\ rnd (val x + val y) = 0 \/
   (1 <= nz a + nz b)%Z /\
   Rabs (rnd (val x + val y) - (rsum a + rsum b)) <= coefficient (nz a + nz b) * (u * (rabs a + rabs b) + eta)).
Proof.
  intros a b x y N B Ba Bb. pose proof (nz_pos a). pose proof (nz_pos b). pose proof (rabs_pos a). pose proof (rabs_pos b).
  pose proof u_pos as U. pose proof eta_pos as Eta.
  assert (Sa : Rabs (val x) <= 2 * rabs a + 1) by (apply bounded_size; [lia|lra|exact Ba]).
  assert (Sb : Rabs (val y) <= 2 * rabs b + 1) by (apply bounded_size; [lia|lra|exact Bb]).
  destruct Ba as [Fa [[Za Ea]|[Na Ea]]], Bb as [Fb [[Zb Eb]|[Nb Eb]]].
  - rewrite Ea, Eb, Rplus_0_l, Rabs_R0. split; [apply bpow_ge_0|]. left. split; [lia|]. apply round_0, valid_rnd_N.
  - rewrite Ea, Rplus_0_l, (rnd_format _ (format_val y)). split; [apply Rle_trans with (2 * rabs b + 1); [lra|apply small_huge; lra]|].
    right. split; [lia|]. rewrite (nz_0 a Za), Za. rewrite Rplus_0_l, Z.add_0_l. eapply Rle_trans; [exact Eb|].
    apply Rmult_le_compat_l; [pose proof (coefficient_pos _ Nb); lra|]. apply Rplus_le_compat_r, Rmult_le_compat_l; lra.
  - rewrite Eb, Rplus_0_r, (rnd_format _ (format_val x)). split; [apply Rle_trans with (2 * rabs a + 1); [lra|apply small_huge; lra]|].
    right. split; [lia|]. rewrite (nz_0 b Zb), Zb. rewrite Rplus_0_r, Z.add_0_r. eapply Rle_trans; [exact Ea|].
    apply Rmult_le_compat_l; [pose proof (coefficient_pos _ Na); lra|]. apply Rplus_le_compat_r, Rmult_le_compat_l; lra.
  - pose proof (coefficient_pos _ Na). pose proof (coefficient_pos _ Nb).
    pose proof (coefficient_add (nz a) (nz b)) as CA. pose proof (coefficient_le _ N) as CL.
    destruct (step_error (coefficient (nz a)) (coefficient (nz b)) (val x) (val y) (rsum a) (rsum b) (rabs a) (rabs b)) as [M E]; try lra;
      try apply rsum_abs.
    split; [apply Rle_trans with (2 * (rabs a + rabs b) + 1); [exact M|now apply small_huge]|].
    right. split; [lia|]. rewrite CA in E. exact E.
Qed.

Lemma tree_bounded : forall t, Forall tfin (terms t) -> (nz (terms t) <= most_terms)%Z -> rabs (terms t) <= pow2 100 ->
  bounded (terms t) (eval t).
Proof.
  assert (prod : forall x y, tfin (P x y) -> Rabs (tval (P x y)) <= pow2 100 ->
    fin (fmul x y) = true /\ val (fmul x y) = rnd (tval (P x y))).
  { intros x y [Fx Fy] B. apply mul_round; auto. apply Rle_trans with (pow2 100); [exact B|]. apply bpow_le. unfold huge. lia. }
  pose proof u_pos as U. pose proof eta_pos as Eta.
  induction t as [[x|x y]|l IHl r IHr|x y l IHl]; intros F N B; cbn [terms eval] in *.
  - inversion F; subst. split; [assumption|]. unfold nz, rsum, rabs, zero_or_not. cbn [tval].
    destruct (Req_bool_spec (val x) 0) as [E|E]; [left; split; [lia|exact E]|right]. split; [lia|].
    replace (val x - (val x + 0)) with 0 by ring. rewrite Rabs_R0. apply Rmult_le_pos; [unfold coefficient; simpl; lra|].
    pose proof (Rabs_pos (val x)). assert (0 <= u * (Rabs (val x) + 0)) by (apply Rmult_le_pos; lra). lra.
  - inversion F as [|a la Ft _]; subst. cbn [rabs] in B. rewrite Rplus_0_r in B.
    destruct (prod x y Ft B) as [F1 V1]. split; [exact F1|]. unfold nz, rsum, rabs, zero_or_not. rewrite V1.
    destruct (Req_bool_spec (tval (P x y)) 0) as [E|E].
    + left. split; [lia|]. rewrite E. apply round_0, valid_rnd_N.
    + right. split; [lia|]. rewrite !Rplus_0_r. pose proof (rnd_error (tval (P x y))). change (1 + 0)%Z with 1%Z. rewrite coefficient_1.
      assert (0 <= u * Rabs (tval (P x y))) by (apply Rmult_le_pos; [lra|apply Rabs_pos]). lra.
  - apply Forall_app in F. destruct F as [Fl Fr]. rewrite nz_app in N. rewrite rabs_app in B.
    generalize (nz_pos (terms l)) (nz_pos (terms r)) (rabs_pos (terms l)) (rabs_pos (terms r)). intros.
    assert (Bl : bounded (terms l) (eval l)) by (apply IHl; [exact Fl|lia|lra]).
    assert (Br : bounded (terms r) (eval r)) by (apply IHr; [exact Fr|lia|lra]).
    destruct (join _ _ _ _ N B Bl Br) as [S E]. destruct (add_round _ _ (proj1 Bl) (proj1 Br) S) as [F3 V3].
    split; [exact F3|]. rewrite V3, nz_app, rsum_app, rabs_app. exact E.
  - inversion F as [|a la Ft Fl]; subst. cbn [nz rabs] in N, B.
    generalize (nz_pos (terms l)) (rabs_pos (terms l)) (zero_or_not_range (P x y)) (Rabs_pos (tval (P x y))). intros.
    assert (Bl : bounded (terms l) (eval l)) by (apply IHl; [exact Fl|lia|lra]).
    assert (Sl : Rabs (val (eval l)) <= 2 * rabs (terms l) + 1) by (apply bounded_size; [lia|lra|exact Bl]).
    assert (S : Rabs (tval (P x y) + val (eval l)) <= pow2 huge).
    { eapply Rle_trans; [apply Rabs_triang|]. apply Rle_trans with (2 * (Rabs (tval (P x y)) + rabs (terms l)) + 1); [lra|].
      now apply small_huge. }
    destruct (fma_round x y _ (proj1 Ft) (proj2 Ft) (proj1 Bl) S) as [F3 V3]. change (val x * val y) with (tval (P x y)) in V3.
    split; [exact F3|]. rewrite V3. cbn [nz rsum rabs]. destruct Bl as [Fe El].
    unfold zero_or_not in *. destruct (Req_bool_spec (tval (P x y)) 0) as [E|E].
    + rewrite E, Rplus_0_l, (rnd_format _ (format_val (eval l))), Rabs_R0, !Rplus_0_l, Z.add_0_l. exact El.
    + right. split; [lia|]. destruct El as [[Z0 E0]|[N1 E1]].
      * rewrite E0, Z0, (nz_0 _ Z0), !Rplus_0_r. pose proof (rnd_error (tval (P x y))). change (1 + 0)%Z with 1%Z. rewrite coefficient_1.
        assert (u * Rabs (tval (P x y)) <= u * (Rabs (tval (P x y)) + rabs (terms l))) by (apply Rmult_le_compat_l; lra).
        assert (0 <= u * Rabs (tval (P x y))) by (apply Rmult_le_pos; lra). lra.
      * rewrite <- (coefficient_add 1 (nz (terms l))), coefficient_1.
        pose proof (coefficient_pos _ N1). pose proof (coefficient_add 1 (nz (terms l))) as CA. rewrite coefficient_1 in CA.
        pose proof (coefficient_le _ N) as CL.
        assert (Z1 : Rabs (tval (P x y) - tval (P x y)) <= 1 * (u * Rabs (tval (P x y)) + eta)).
        { rewrite Rminus_diag_eq, Rabs_R0 by reflexivity.
          assert (0 <= u * Rabs (tval (P x y))) by (apply Rmult_le_pos; lra). lra. }
        pose proof (rsum_abs (terms l)).
        destruct (step_error 1 (coefficient (nz (terms l))) (tval (P x y)) (val (eval l)) (tval (P x y)) (rsum (terms l))
          (Rabs (tval (P x y))) (rabs (terms l))) as [_ D]; try lra; exact D.
Qed.

Theorem sums_error : forall ts r, Forall tfin ts -> (nz ts <= most_terms)%Z -> rabs ts <= pow2 100 -> sums ts r ->
  fin r = true /\ Rabs (val r - rsum ts) <= IZR (2 * nz ts) * (u * rabs ts + eta).
Proof.
  intros ts r F N B (k & t & Pm & ->). destruct (zeros_neutral k ts) as (S & A & C).
  assert (T : bounded (terms t) (eval t)).
  { apply tree_bounded.
    - apply Permutation_sym in Pm. eapply Permutation_Forall; [exact Pm|]. apply zeros_forall; [reflexivity|exact F].
    - rewrite (nz_perm _ _ Pm), C. exact N.
    - rewrite (rabs_perm _ _ Pm), A. exact B. }
  unfold bounded in T. rewrite (nz_perm _ _ Pm), C, (rabs_perm _ _ Pm), A, (rsum_perm _ _ Pm), S in T.
  pose proof u_pos. pose proof eta_pos. pose proof (rabs_pos ts).
  assert (P0 : 0 <= u * rabs ts + eta) by (assert (0 <= u * rabs ts) by (apply Rmult_le_pos; lra); lra).
  destruct T as [Fe [[Z0 E]|[N1 E]]]; split; auto.
  - rewrite E, (nz_0 _ Z0), Rminus_0_r, Rabs_R0. apply Rmult_le_pos; [apply IZR_le; lia|exact P0].
  - eapply Rle_trans; [exact E|]. apply Rmult_le_compat_r; [exact P0|]. apply IZR_le in N. unfold coefficient, most_terms in *.
    rewrite mult_IZR. simpl in N. lra.
Qed.
