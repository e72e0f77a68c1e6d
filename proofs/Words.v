(* One word at a time: the interval of everything that a model computes on it, in any order of summation. *)
From Coq Require Import ZArith Reals List Lia Lra Bool.
From Flocq Require Import Core BinarySingleNaN.
From Capax Require Import Binary32 Sums Softmax Network Program Intervals.
Import ListNotations.
Open Scope Z_scope.

(* Heads: the keys whose score is the highest possible one are selected; all others must be lower by 104. *)
Fixpoint picked (flags : list bool) (vs : list itv) : list itv :=
  match flags, vs with b :: f, v :: r => if b then v :: picked f r else picked f r | _, _ => [] end.
Definition gap := Eval compute in 104 * 2 ^ 60.
Definition flag (t : Z) (s : itv) : bool := (fst s =? t) && (snd s =? t).
Definition apart (t : Z) (s : itv) : bool := (size s <=? Z.shiftl 1 160) && (flag t s || (snd s <=? t - gap)).
Definition highest_score (scores : list itv) : Z := fold_left (fun t s => Z.max t (fst s)) scores (fst (hd zero_itv scores)).
Definition mean_itv (sel : list itv) : option itv :=
  match sel with
  | [v] => if size v <=? Z.shiftl 1 159 then Some v else None
  | _ =>
    let k := Z.of_nat (length sel) in let s := sizes sel in
    if (1 <=? k) && (k <=? most_terms) && (s <=? Z.shiftl 1 159) then
      let err := ((4 * nonzeros sel + 2) * s) / (k * 2 ^ 24) + 2 in
      Some (lows sel / k - err, - ((- highs sel) / k) + err)
    else None
  end.
Definition column_itv (c : nat) (vs : list (list itv)) : list itv := map (fun v => nth c v zero_itv) vs.
Definition attend_itv (dim : nat) (ks vs : list (list itv)) (q : list itv) : option (list itv) :=
  match every (fun k => total (terms_of q k)) ks with
  | None => None
  | Some scores =>
    let t := highest_score scores in
    if forallb (apart t) scores && (length scores =? length vs)%nat
    then every (fun c => mean_itv (picked (map (flag t) scores) (column_itv c vs))) (seq 0 dim)
    else None
  end.

Open Scope R_scope.
Lemma below_mult : forall a b, (a <= b)%Z -> IZR a * pow2 (-60) <= IZR b * pow2 (-60).
Proof. intros. apply Rmult_le_compat_r; [apply bpow_ge_0|now apply IZR_le]. Qed.
Lemma holds_abs : forall a x, holds a x -> Rabs (val x) <= IZR (size a) * pow2 (-60).
Proof.
  intros [l h] x (F & L & H). cbn [fst snd] in *. apply Rabs_le. unfold size. cbn [fst snd]. split.
  - eapply Rle_trans; [|exact L]. rewrite <- Ropp_mult_distr_l_reverse, <- opp_IZR. apply below_mult. lia.
  - eapply Rle_trans; [exact H|]. apply below_mult. lia.
Qed.
Lemma size_bound : forall z n, (0 <= n)%Z -> (z <= Z.shiftl 1 n)%Z -> IZR z * pow2 (-60) <= pow2 (n - 60).
Proof.
  intros z n Hn H. rewrite shiftl_pow, Z.mul_1_l in H by exact Hn. eapply Rle_trans; [apply below_mult; exact H|].
  rewrite pow2_IZR, <- bpow_plus by exact Hn. apply Rle_refl.
Qed.

Definition keys_of (flags : list bool) (s v : list f32) : list key := combine flags (combine s v).
Lemma keys_scores : forall flags s v, length flags = length s -> length s = length v ->
  map score (keys_of flags s v) = s /\ map value (keys_of flags s v) = v.
Proof.
  induction flags as [|b flags IH]; intros [|x s] [|y v] L1 L2; simpl in *; try discriminate; [auto|].
  destruct (IH s v) as [A B]; [congruence|congruence|]. unfold keys_of in *. unfold score, value in *. simpl. now rewrite A, B.
Qed.
Lemma keys_sums : forall flags s vs v, length flags = length s -> length s = length v -> Forall2 holds vs v ->
  let xs := keys_of flags s v in let sel := picked flags vs in
  count xs = Z.of_nat (length sel) /\ IZR (lows sel) * pow2 (-60) <= ssum xs <= IZR (highs sel) * pow2 (-60) /\
  sabs xs <= IZR (sizes sel) * pow2 (-60) /\ (snz xs <= nonzeros sel)%Z /\ Forall (fun x => fin (value x) = true) xs.
Proof.
  induction flags as [|b flags IH]; intros s vs v L1 L2 H.
  - simpl. repeat split; try lra; try lia. constructor.
  - destruct s as [|x s]; [discriminate|]. destruct H as [|a y vs v Hy H]; [discriminate|]. simpl in L1, L2.
    destruct (IH s vs v) as (C & (A1 & A2) & B & N & F); [congruence|congruence|exact H|]. cbv zeta.
    change (keys_of (b :: flags) (x :: s) (y :: v)) with ((b, (x, y)) :: keys_of flags s v).
    cbn [count ssum sabs snz picked]. unfold chosen at 1 2 3 4 5. unfold value at 1 2 3. cbn [fst snd].
    pose proof (holds_abs a y Hy) as Ab. destruct Hy as (Fy & Ly & Hy).
    assert (Fk : Forall (fun x0 : key => fin (value x0) = true) ((b, (x, y)) :: keys_of flags s v)) by (constructor; [exact Fy|exact F]).
    destruct b.
    + cbn [length lows highs sizes nonzeros fold_right] in *. fold (lows (picked flags vs)) (highs (picked flags vs)) (sizes (picked flags vs)) (nonzeros (picked flags vs)).
      rewrite !plus_IZR, !Rmult_plus_distr_r. split; [lia|]. split; [lra|]. split; [lra|]. split; [|exact Fk].
      apply Z.add_le_mono; [|exact N]. unfold nonzero, zero_or_not, value. cbn [tval fst snd].
      destruct (Z.eqb_spec (fst a) 0) as [E1|E1], (Z.eqb_spec (snd a) 0) as [E2|E2]; cbn [andb];
        try (destruct (Req_bool (val y) 0); lia).
      rewrite E1 in Ly. rewrite E2 in Hy. rewrite Req_bool_true by lra. lia.
    + split; [lia|]. split; [lra|]. split; [lra|]. split; [lia|exact Fk].
Qed.
Lemma separated_sound : forall t S s v, Forall2 holds S s -> length s = length v -> forallb (apart t) S = true ->
  Forall (separated (IZR t * pow2 (-60))) (keys_of (map (flag t) S) s v).
Proof.
  intros t S s v H. revert v. induction H as [|a x S s Hx H IH]; intros [|y v] L C; simpl in *; try discriminate; [constructor|].
  apply andb_true_iff in C. destruct C as [C1 C2]. unfold keys_of in *. simpl. constructor; [|apply IH; [congruence|exact C2]].
  unfold apart in C1. apply andb_true_iff in C1. destruct C1 as [B C1]. apply Z.leb_le in B.
  pose proof (holds_abs a x Hx) as Ab. destruct Hx as (F & Lx & Hx).
  unfold separated, score, chosen. cbn [fst snd]. split; [exact F|]. split.
  - eapply Rle_trans; [exact Ab|]. exact (size_bound _ 160 ltac:(lia) B).
  - destruct (flag t a) eqn:E.
    + unfold flag in E. apply andb_true_iff in E. destruct E as [E1 E2]. apply Z.eqb_eq in E1, E2. rewrite E1 in Lx. rewrite E2 in Hx. lra.
    + simpl in C1. apply Z.leb_le in C1. eapply Rle_trans; [exact Hx|]. eapply Rle_trans; [apply below_mult; exact C1|].
      rewrite minus_IZR, Rmult_minus_distr_r. apply Rplus_le_compat_l, Ropp_le_contravar.
      change gap with (104 * 2 ^ 60)%Z. rewrite mult_IZR, pow2_IZR, Rmult_assoc, <- bpow_plus by lia. change (pow2 (60 + -60)) with 1. lra.
Qed.

(* lo / k - err <= r <= hi / k + err, with integers. *)
Lemma mean_bounds : forall lo hi k n s S A r, (1 <= k <= most_terms)%Z -> (0 <= n <= k)%Z -> (0 <= s)%Z ->
  IZR lo * pow2 (-60) <= S <= IZR hi * pow2 (-60) -> 0 <= A <= IZR s * pow2 (-60) ->
  Rabs (r - S / IZR k) <= IZR (4 * n + 2) * (u * (A / IZR k) + eta) ->
  let err := (((4 * n + 2) * s) / (k * 2 ^ 24) + 2)%Z in
  IZR (lo / k - err) * pow2 (-60) <= r <= IZR (- ((- hi) / k) + err) * pow2 (-60).
Proof.
  intros lo hi k n s S A r K N Hs [SL SH] [A0 AS] E err.
  assert (K1 : 1 <= IZR k) by (apply (IZR_le 1); lia). assert (I : 0 < / IZR k) by (apply Rinv_0_lt_compat; lra).
  assert (D : forall z, IZR (z / k) <= IZR z * / IZR k).
  { intros z. apply Rmult_le_reg_r with (IZR k); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, <- mult_IZR by lra. apply IZR_le.
    pose proof (Z_div_mod_eq_full z k). pose proof (Z.mod_pos_bound z k ltac:(lia)). lia. }
  assert (Err : IZR (4 * n + 2) * (u * (A / IZR k) + eta) <= IZR err * pow2 (-60)).
  { unfold err. replace (IZR ((4 * n + 2) * s / (k * 2 ^ 24) + 2)) with (IZR ((4 * n + 2) * s / (k * 2 ^ 24) + 1) + 1) by (rewrite <- plus_IZR; f_equal; lia).
    rewrite Rmult_plus_distr_l, Rmult_plus_distr_r. pose proof (u_pos). apply Rplus_le_compat.
    - apply Rle_trans with (IZR (4 * n + 2) * (u * (IZR s * pow2 (-60) * / IZR k))).
      { apply Rmult_le_compat_l; [apply IZR_le; lia|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
      replace (IZR (4 * n + 2) * (u * (IZR s * pow2 (-60) * / IZR k))) with (IZR (4 * n + 2) * IZR s * (u * / IZR k) * pow2 (-60)) by ring.
      apply Rmult_le_compat_r; [apply bpow_ge_0|].
      apply Rmult_le_reg_r with (IZR (k * 2 ^ 24)); [apply IZR_lt; lia|].
      replace (IZR (4 * n + 2) * IZR s * (u * / IZR k) * IZR (k * 2 ^ 24)) with (IZR ((4 * n + 2) * s)).
      + rewrite <- mult_IZR. apply IZR_le. set (c := (k * 2 ^ 24)%Z). assert (0 < c)%Z by (unfold c; lia).
        pose proof (Z_div_mod_eq_full ((4 * n + 2) * s) c). pose proof (Z.mod_pos_bound ((4 * n + 2) * s) c H0). lia.
      + rewrite !mult_IZR, pow2_IZR by lia.
        replace (IZR (4 * n + 2) * IZR s * (u * / IZR k) * (IZR k * pow2 24)) with (IZR (4 * n + 2) * IZR s * (u * pow2 24) * (/ IZR k * IZR k)) by ring.
        rewrite Rinv_l, <- bpow_plus by lra. change (pow2 (-24 + 24)) with 1. ring.
    - apply Rle_trans with (IZR (2 ^ 23) * eta); [apply Rmult_le_compat_r; [apply bpow_ge_0|apply IZR_le; unfold most_terms in *; lia]|].
      rewrite pow2_IZR, <- bpow_plus, Rmult_1_l by lia. apply bpow_le. lia. }
  apply Rabs_le_inv in E.
  assert (L1 : IZR (lo / k) * pow2 (-60) <= S / IZR k).
  { apply Rle_trans with (IZR lo * / IZR k * pow2 (-60)); [apply Rmult_le_compat_r; [apply bpow_ge_0|apply D]|].
    unfold Rdiv. replace (IZR lo * / IZR k * pow2 (-60)) with (IZR lo * pow2 (-60) * / IZR k) by ring. apply Rmult_le_compat_r; lra. }
  assert (L2 : S / IZR k <= - IZR ((- hi) / k) * pow2 (-60)).
  { apply Rle_trans with (IZR hi * / IZR k * pow2 (-60)).
    - unfold Rdiv. replace (IZR hi * / IZR k * pow2 (-60)) with (IZR hi * pow2 (-60) * / IZR k) by ring. apply Rmult_le_compat_r; lra.
    - apply Rmult_le_compat_r; [apply bpow_ge_0|]. pose proof (D (- hi)%Z) as Dh. rewrite opp_IZR in Dh. lra. }
  rewrite minus_IZR, (plus_IZR _ err), opp_IZR, Rmult_minus_distr_r, Rmult_plus_distr_r. lra.
Qed.

Lemma nonzeros_length : forall l, (0 <= nonzeros l <= Z.of_nat (length l))%Z.
Proof. induction l as [|a l IH]; [simpl; lia|]. cbn [nonzeros fold_right length]. fold (nonzeros l). unfold nonzero. destruct ((fst a =? 0) && (snd a =? 0))%Z; lia. Qed.
Lemma snz_pos : forall xs, (0 <= snz xs)%Z. Proof. intros. apply snz_range. Qed.
Theorem mean_sound : forall e t S s vs v a r, exp_ok e -> Forall2 holds S s -> Forall2 holds vs v -> length S = length vs ->
  forallb (apart t) S = true -> mean_itv (picked (map (flag t) S) vs) = Some a -> mean_of e s v r -> holds a r.
Proof.
  intros e t S s vs v a r E HS HV L C M R. pose proof (Forall2_length _ _ _ _ _ HS) as L1. pose proof (Forall2_length _ _ _ _ _ HV) as L2.
  set (flags := map (flag t) S) in *. assert (LF : length flags = length s) by (unfold flags; rewrite map_length; exact L1).
  assert (LV : length s = length v) by congruence.
  pose proof (separated_sound t S s v HS LV C) as Sep. fold flags in Sep.
  destruct (keys_sums flags s vs v LF LV HV) as (Cn & Sm & Ab & Nz & Fv). destruct (keys_scores flags s v LF LV) as [Ks Kv].
  set (xs := keys_of flags s v) in *. set (sel := picked flags vs) in *. rewrite <- Ks, <- Kv in R.
  assert (G : (1 <= Z.of_nat (length sel) <= most_terms)%Z /\ (sizes sel <= Z.shiftl 1 159)%Z /\
    (length sel = 1%nat /\ sel = [a] \/
     a = (lows sel / Z.of_nat (length sel) - (((4 * nonzeros sel + 2) * sizes sel) / (Z.of_nat (length sel) * 2 ^ 24) + 2),
       - ((- highs sel) / Z.of_nat (length sel)) + (((4 * nonzeros sel + 2) * sizes sel) / (Z.of_nat (length sel) * 2 ^ 24) + 2))%Z)).
  { unfold mean_itv in M. destruct sel as [|v1 [|v2 sel]].
    - discriminate.
    - destruct (Z.leb_spec (size v1) (Z.shiftl 1 159)) as [B|B]; [|discriminate]. apply some_injective in M. subst v1.
      split; [split; [simpl; lia|unfold most_terms; simpl; lia]|]. split; [unfold sizes, fold_right; lia|]. left. auto.
    - set (sel' := v1 :: v2 :: sel) in *.
      destruct ((1 <=? Z.of_nat (length sel')) && (Z.of_nat (length sel') <=? most_terms) && (sizes sel' <=? Z.shiftl 1 159))%Z eqn:B; [|discriminate].
      rewrite !andb_true_iff, !Z.leb_le in B. destruct B as ((B1 & B2) & B3). apply some_injective in M.
      split; [lia|]. split; [exact B3|]. right. now rewrite <- M. }
  destruct G as (K & B & Cases).
  assert (Ab2 : sabs xs <= pow2 99) by (eapply Rle_trans; [exact Ab|]; exact (size_bound _ 159 ltac:(lia) B)).
  destruct (mean_error e (IZR t * pow2 (-60)) xs r E Sep) as (Fr & Er & One); auto; [rewrite Cn; exact K|].
  split; [exact Fr|]. destruct Cases as [[K1 Es]| ->].
  - rewrite One by (rewrite Cn, K1; reflexivity). rewrite Es in Sm. unfold lows, highs, fold_right in Sm. rewrite !Z.add_0_r in Sm. exact Sm.
  - rewrite Cn in Er. cbn [fst snd].
    apply (mean_bounds (lows sel) (highs sel) (Z.of_nat (length sel)) (nonzeros sel) (sizes sel) (ssum xs) (sabs xs)); auto.
    + apply nonzeros_length.
    + apply sizes_pos.
    + split; [apply sabs_pos|exact Ab].
    + eapply Rle_trans; [exact Er|]. apply Rmult_le_compat_r; [|apply IZR_le; lia].
      pose proof u_pos. pose proof eta_pos. pose proof (sabs_pos xs).
      assert (0 <= sabs xs / IZR (Z.of_nat (length sel))) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; apply IZR_lt; lia]).
      assert (0 <= u * (sabs xs / IZR (Z.of_nat (length sel)))) by (apply Rmult_le_pos; lra). lra.
Qed.

(* Heads of a word. *)
Lemma Forall2_map2 : forall A B C D (R : C -> D -> Prop) (f : A -> C) (g : B -> D) l l',
  Forall2 (fun x y => R (f x) (g y)) l l' -> Forall2 R (map f l) (map g l').
Proof. induction 1; simpl; constructor; auto. Qed.
Lemma Forall2_impl : forall A B (R S : A -> B -> Prop) l l', (forall x y, R x y -> S x y) -> Forall2 R l l' -> Forall2 S l l'.
Proof. induction 2; constructor; auto. Qed.
Lemma numbered_Forall2 : forall A B (R : A -> B -> Prop) l l', Forall2 R l l' ->
  Forall2 (fun p q => fst p = fst q /\ R (snd p) (snd q)) (numbered l) (numbered l').
Proof.
  intros A B R l l' H. unfold numbered. generalize 0%nat. induction H; intros n; simpl; constructor; auto.
Qed.
Lemma visible_Forall2 : forall A B (R : A -> B -> Prop) m i l l', Forall2 R l l' -> Forall2 R (visible m i l) (visible m i l').
Proof.
  intros A B R m i l l' H. unfold visible. apply Forall2_map2. apply numbered_Forall2 in H.
  induction H as [|[a x] [b y] l1 l2 [E1 E2] _ IH]; simpl; [constructor|]. simpl in *. subst b. destruct (sees m i a); auto.
Qed.
Lemma sink_Forall2 : forall A B (R : A -> B -> Prop) l l' s s', Forall2 R l l' ->
  match s, s' with Some x, Some y => R x y | None, None => True | _, _ => False end -> Forall2 R (with_sink l s) (with_sink l' s').
Proof. intros A B R l l' [x|] [y|] H S; simpl; try contradiction; [|exact H]. apply Forall2_app; auto. Qed.
Lemma column_sound : forall c VS vs, Forall2 (Forall2 holds) VS vs -> Forall2 holds (column_itv c VS) (column c vs).
Proof.
  intros c VS vs H. unfold column_itv, column. apply Forall2_map2. eapply Forall2_impl; [|exact H]. intros V v Hv.
  clear -Hv. revert c. induction Hv; intros [|c]; simpl; auto using zero_holds.
Qed.
Lemma every_Forall2 : forall A B A' B' (f : A -> option B) (Q : A -> A' -> Prop) (R : A' -> B' -> Prop) (S : B -> B' -> Prop) l r l' r',
  (forall x y x' y', Q x x' -> f x = Some y -> R x' y' -> S y y') ->
  every f l = Some r -> Forall2 Q l l' -> Forall2 R l' r' -> Forall2 S r r'.
Proof.
  intros A B A' B' f Q R S l r l' r' H E. apply every_sound in E. revert l' r'.
  induction E; intros l1 r1 HQ HR; inversion HQ; subst; inversion HR; subst; constructor; eauto.
Qed.
Lemma Forall2_refl_eq : forall A (l : list A), Forall2 eq l l.
Proof. induction l; constructor; auto. Qed.
Theorem attend_sound : forall e dim KS ks VS vs Q q Z z scores, exp_ok e -> Forall2 (Forall2 holds) KS ks -> Forall2 (Forall2 holds) VS vs ->
  Forall2 holds Q q -> attend_itv dim KS VS Q = Some Z ->
  Forall2 (fun k s => sums (products q k) s) ks scores ->
  Forall2 (fun c r => mean_of e scores (column c vs) r) (seq 0 dim) z -> Forall2 holds Z z.
Proof.
  intros e dim KS ks VS vs Q q Z z scores E HK HV HQ C Hs Hz. unfold attend_itv in C.
  destruct (every (fun k => total (terms_of Q k)) KS) as [S|] eqn:ES; [|discriminate].
  assert (HS : Forall2 holds S scores).
  { refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ ES HK Hs). intros k s k' s' Hk Ht Hsum.
    eapply total_sound; [|exact Ht|exact Hsum]. now apply terms_sound. }
  destruct (forallb (apart (highest_score S)) S && (length S =? length VS)%nat) eqn:B; [|discriminate].
  apply andb_true_iff in B. destruct B as [B L]. apply Nat.eqb_eq in L.
  refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ C (Forall2_refl_eq _ _) Hz). intros c a c' r <- M R.
  eapply mean_sound; [exact E|exact HS|apply column_sound; exact HV| |exact B|exact M|exact R].
  unfold column_itv. now rewrite map_length.
Qed.

Record prepared_head := { pq : prepared; pk : prepared; pv : prepared; psink : option (list itv * list itv); pscale : itv; pmask : mask }.
Definition prepare_head (h : head) : option prepared_head :=
  match prepare (query h), prepare (key_map h), prepare (value_map h), weight (scale h) with
  | Some q, Some k, Some v, Some s =>
    match sink h with
    | None => Some {| pq := q; pk := k; pv := v; psink := None; pscale := s; pmask := head_mask h |}
    | Some (a, b) =>
      match weights a, weights b with
      | Some x, Some y => Some {| pq := q; pk := k; pv := v; psink := Some (x, y); pscale := s; pmask := head_mask h |}
      | _, _ => None
      end
    end
  | _, _, _, _ => None
  end.
Record represents_head (p : prepared_head) (h : head) : Prop := {
  rep_q : represents (pq p) (query h); rep_k : represents (pk p) (key_map h); rep_v : represents (pv p) (value_map h);
  rep_scale : holds (pscale p) (fl (scale h)); rep_mask : pmask p = head_mask h;
  rep_sink : match psink p, sink h with
    | None, None => True
    | Some x, Some y => Forall2 holds (fst x) (map fl (fst y)) /\ Forall2 holds (snd x) (map fl (snd y))
    | _, _ => False end }.
Lemma prepare_head_sound : forall h p, prepare_head h = Some p -> represents_head p h.
Proof.
  intros h p H. unfold prepare_head in H. destruct (prepare (query h)) eqn:Q; [|discriminate]. destruct (prepare (key_map h)) eqn:K; [|discriminate].
  destruct (prepare (value_map h)) eqn:V; [|discriminate]. destruct (weight (scale h)) eqn:W; [|discriminate].
  destruct (sink h) as [[a b]|] eqn:S.
  - destruct (weights a) eqn:A; [|discriminate]. destruct (weights b) eqn:B; [|discriminate]. apply some_injective in H. subst p.
    constructor; cbn [pq pk pv psink pscale pmask]; auto using prepare_sound, weight_sound. rewrite S. cbn [fst snd]. auto using weights_sound.
  - apply some_injective in H. subst p. constructor; cbn [pq pk pv psink pscale pmask]; auto using prepare_sound, weight_sound. now rewrite S.
Qed.

Definition query_itv (p : prepared_head) (x : list itv) : option (list itv) :=
  match maps_itv (pq p) x with None => None | Some y => every (fun c => total [imul (pscale p) c]) y end.
Lemma query_sound : forall p h X x Q q, represents_head p h -> Forall2 holds X x -> query_itv p X = Some Q -> queries h x q -> Forall2 holds Q q.
Proof.
  intros p h X x Q q R HX C (y & My & ->). unfold query_itv in C. destruct (maps_itv (pq p) X) as [Y|] eqn:E; [|discriminate].
  pose proof (maps_sound _ _ _ _ _ _ (rep_q _ _ R) HX E My) as HY. clear -C HY R. apply every_sound in C.
  revert y HY. induction C as [|c t Y Q Hc _ IH]; intros y HY; inversion HY; subst; simpl; constructor; auto.
  eapply total_sound; [|exact Hc|exists 0%nat, (Leaf (P (fl (scale h)) y0)); split; [apply Permutation.Permutation_refl|reflexivity]].
  constructor; [|constructor]. apply imul_sound; [apply (rep_scale _ _ R)|assumption].
Qed.
Definition sink_key {A} (s : option (A * A)) : option A := option_map fst s.
Definition sink_value {A} (s : option (A * A)) : option A := option_map snd s.
Definition head_itv (dim : nat) (p : prepared_head) (xs : list (list itv)) : option (list (list itv)) :=
  match every (query_itv p) xs, every (maps_itv (pk p)) xs, every (maps_itv (pv p)) xs with
  | Some qs, Some ks, Some vs =>
    every (fun iq => attend_itv dim (with_sink (visible (pmask p) (fst iq) ks) (sink_key (psink p)))
                       (with_sink (visible (pmask p) (fst iq) vs) (sink_value (psink p))) (snd iq)) (numbered qs)
  | _, _, _ => None
  end.
Theorem head_sound : forall e p h XS xs ZS zs, exp_ok e -> represents_head p h -> Forall2 (Forall2 holds) XS xs ->
  head_itv (length (rows (value_map h))) p XS = Some ZS -> head_runs e h xs zs -> Forall2 (Forall2 holds) ZS zs.
Proof.
  intros e p h XS xs ZS zs E R HX C (qs & ks & vs & Hq & Hk & Hv & Hz). unfold head_itv in C.
  destruct (every (query_itv p) XS) as [QS|] eqn:EQ; [|discriminate]. destruct (every (maps_itv (pk p)) XS) as [KS|] eqn:EK; [|discriminate].
  destruct (every (maps_itv (pv p)) XS) as [VS|] eqn:EV; [|discriminate].
  assert (HQ : Forall2 (Forall2 holds) QS qs).
  { refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ EQ HX Hq). intros. eapply query_sound; eassumption. }
  assert (HK : Forall2 (Forall2 holds) KS ks).
  { refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ EK HX Hk). intros. eapply maps_sound; [apply (rep_k _ _ R)| | |]; eassumption. }
  assert (HV : Forall2 (Forall2 holds) VS vs).
  { refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ EV HX Hv). intros. eapply maps_sound; [apply (rep_v _ _ R)| | |]; eassumption. }
  refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ C (numbered_Forall2 _ _ _ _ _ HQ) Hz).
  intros [i Q] Z [i' q] z [Ei Hqq] A (scores & Hs & Hm). cbn [fst snd] in *. subst i'. rewrite (rep_mask _ _ R) in A.
  pose proof (rep_sink _ _ R) as RS.
  eapply (attend_sound e _ _ _ _ _ _ _ _ _ scores E); [| |exact Hqq|exact A|exact Hs|exact Hm].
  - apply sink_Forall2; [now apply visible_Forall2|]. destruct (psink p), (sink h); simpl; try contradiction; [apply RS|exact I].
  - apply sink_Forall2; [now apply visible_Forall2|]. destruct (psink p), (sink h); simpl; try contradiction; [apply RS|exact I].
Qed.

(* Blocks and models. *)
Record prepared_block := { pheads : list (nat * prepared_head); pout : prepared; pmlp : prepared_mlp }.
Definition prepare_block (b : block) : option prepared_block :=
  match every (fun h => match prepare_head h with None => None | Some p => Some (length (rows (value_map h)), p) end) (heads b),
        prepare (out b), prepare_mlp (block_mlp b) with
  | Some hs, Some o, Some m => Some {| pheads := hs; pout := o; pmlp := m |}
  | _, _, _ => None
  end.
Record represents_block (p : prepared_block) (b : block) : Prop := {
  rep_heads : Forall2 (fun q h => fst q = length (rows (value_map h)) /\ represents_head (snd q) h) (pheads p) (heads b);
  rep_out : represents (pout p) (out b); rep_mlp : represents_mlp (pmlp p) (block_mlp b) }.
Lemma prepare_block_sound : forall b p, prepare_block b = Some p -> represents_block p b.
Proof.
  intros b p H. unfold prepare_block in H. destruct (every _ (heads b)) as [hs|] eqn:E; [|discriminate].
  destruct (prepare (out b)) eqn:O; [|discriminate]. destruct (prepare_mlp (block_mlp b)) eqn:M; [|discriminate]. apply some_injective in H. subst p.
  constructor; cbn [pheads pout pmlp]; auto using prepare_sound, prepare_mlp_sound. apply every_sound in E.
  clear -E. induction E as [|h q l r Hq _ IH]; constructor; auto. destruct (prepare_head h) eqn:P; [|discriminate]. apply some_injective in Hq. subst q.
  cbn [fst snd]. split; [reflexivity|now apply prepare_head_sound].
Qed.
Definition written_itv (zss : list (list (list itv))) (i : nat) : list itv := concat (map (fun zs => nth i zs []) zss).
Definition block_itv (p : prepared_block) (xs : list (list itv)) : option (list (list itv)) :=
  match every (fun q => head_itv (fst q) (snd q) xs) (pheads p) with
  | None => None
  | Some zss =>
    match every (fun ix => adds_itv (pout p) (written_itv zss (fst ix)) (snd ix)) (numbered xs) with
    | None => None
    | Some mid => every (mlp_itv (pmlp p)) mid
    end
  end.
Lemma concat_Forall2 : forall A B (R : A -> B -> Prop) l l', Forall2 (Forall2 R) l l' -> Forall2 R (concat l) (concat l').
Proof. induction 1; simpl; [constructor|]. now apply Forall2_app. Qed.
Lemma nth_Forall2 : forall A B (R : A -> B -> Prop) i l l', Forall2 (Forall2 R) l l' -> Forall2 R (nth i l []) (nth i l' []).
Proof. intros A B R i l l' H. revert i. induction H; intros [|i]; simpl; auto. Qed.
Lemma written_sound : forall ZSS zss i, Forall2 (Forall2 (Forall2 holds)) ZSS zss -> Forall2 holds (written_itv ZSS i) (written zss i).
Proof.
  intros ZSS zss i H. unfold written_itv, written. apply concat_Forall2, Forall2_map2. eapply Forall2_impl; [|exact H]. intros. now apply nth_Forall2.
Qed.
Theorem block_sound : forall e p b XS xs YS ys, exp_ok e -> represents_block p b -> Forall2 (Forall2 holds) XS xs ->
  block_itv p XS = Some YS -> block_runs e b xs ys -> Forall2 (Forall2 holds) YS ys.
Proof.
  intros e p b XS xs YS ys E R HX C (zss & mid & Hz & Hm & Hy). unfold block_itv in C.
  destruct (every (fun q => head_itv (fst q) (snd q) XS) (pheads p)) as [ZSS|] eqn:EZ; [|discriminate].
  destruct (every _ (numbered XS)) as [MID|] eqn:EM; [|discriminate].
  assert (HZ : Forall2 (Forall2 (Forall2 holds)) ZSS zss).
  { refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ EZ (rep_heads _ _ R) Hz). intros q ZS h zs [Ed Rh] Eh Hh. cbv beta in Eh. rewrite Ed in Eh.
    eapply head_sound; eassumption. }
  assert (HM : Forall2 (Forall2 holds) MID mid).
  { refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ EM (numbered_Forall2 _ _ _ _ _ HX) Hm). intros [i X] Y [i' x] y [Ei Hx] EY HY. cbn [fst snd] in *. subst i'.
    eapply adds_sound; [apply (rep_out _ _ R)|apply written_sound; exact HZ|exact Hx|exact EY|exact HY]. }
  refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ C HM Hy). intros. eapply mlp_sound; [apply (rep_mlp _ _ R)| | |]; eassumption.
Qed.

Record prepared_model := {
  ptokens : list (list itv); ppositions : list prepared; pfeatures : list feature; pinput : prepared_mlp;
  pblocks : list prepared_block; preadout : prepared }.
Definition prepare_model (n : nat) (m : model) : option prepared_model :=
  match every weights (embedding m), every (fun i => prepare (position_map m i)) (seq 0 n), prepare_mlp (input_mlp m),
        every prepare_block (blocks m), prepare (readout m) with
  | Some t, Some p, Some i, Some b, Some r =>
    Some {| ptokens := t; ppositions := p; pfeatures := features m; pinput := i; pblocks := b; preadout := r |}
  | _, _, _, _, _ => None
  end.
Record represents_model (n : nat) (p : prepared_model) (m : model) : Prop := {
  rep_tokens : Forall2 (fun t r => Forall2 holds t (map fl r)) (ptokens p) (embedding m);
  rep_positions : Forall2 (fun q i => represents q (position_map m i)) (ppositions p) (seq 0 n);
  rep_features : pfeatures p = features m; rep_input : represents_mlp (pinput p) (input_mlp m);
  rep_blocks : Forall2 represents_block (pblocks p) (blocks m); rep_readout : represents (preadout p) (readout m) }.
Lemma every_represents : forall A B (f : A -> option B) (R : B -> A -> Prop) l r, (forall x y, f x = Some y -> R y x) -> every f l = Some r -> Forall2 R r l.
Proof. intros A B f R l r H E. apply every_sound in E. induction E; constructor; auto. Qed.
Lemma prepare_model_sound : forall n m p, prepare_model n m = Some p -> represents_model n p m.
Proof.
  intros n m p H. unfold prepare_model in H. destruct (every weights (embedding m)) eqn:T; [|discriminate].
  destruct (every _ (seq 0 n)) eqn:P; [|discriminate]. destruct (prepare_mlp (input_mlp m)) eqn:I; [|discriminate].
  destruct (every prepare_block (blocks m)) eqn:B; [|discriminate]. destruct (prepare (readout m)) eqn:R; [|discriminate].
  apply some_injective in H. subst p. constructor; cbn [ptokens ppositions pfeatures pinput pblocks preadout]; auto using prepare_mlp_sound, prepare_sound.
  - eapply every_represents; [|exact T]. intros. now apply weights_sound.
  - eapply every_represents; [|exact P]. cbv beta. intros. now apply prepare_sound.
  - eapply every_represents; [|exact B]. intros. now apply prepare_block_sound.
Qed.
Definition feature_itv (i : nat) (f : feature) : option itv := weight (feature_at i f, 0%Z).
Definition embedded_itv (p : prepared_model) (i token : nat) : option (list itv) :=
  match every (feature_itv i) (pfeatures p) with
  | None => None
  | Some fs => if (i <? length (ppositions p))%nat && (token <? length (ptokens p))%nat
               then adds_itv (nth i (ppositions p) []) fs (nth token (ptokens p) []) else None
  end.
Lemma embedded_sound : forall n p m i token X x, represents_model n p m -> embedded_itv p i token = Some X -> embedded m i token x -> Forall2 holds X x.
Proof.
  intros n p m i token X x R C A. unfold embedded_itv in C. destruct (every (feature_itv i) (pfeatures p)) as [fs|] eqn:F; [|discriminate].
  destruct ((i <? length (ppositions p))%nat && (token <? length (ptokens p))%nat) eqn:B; [|discriminate]. apply andb_true_iff in B. destruct B as [B1 B2].
  apply Nat.ltb_lt in B1, B2. unfold embedded in A.
  pose proof (Forall2_nth _ _ _ _ _ [] 0%nat i (rep_positions _ _ _ R) B1) as RP. cbv beta in RP.
  pose proof (Forall2_length _ _ _ _ _ (rep_positions _ _ _ R)) as L. rewrite seq_length in L. rewrite seq_nth in RP by lia. simpl in RP.
  pose proof (Forall2_nth _ _ _ _ _ [] [] token (rep_tokens _ _ _ R) B2) as RT. cbv beta in RT.
  eapply adds_sound; [exact RP| |exact RT|exact C|exact A].
  rewrite (rep_features _ _ _ R) in F. apply every_sound in F. clear -F.
  induction F; simpl; constructor; auto. apply (weight_sound (feature_at i x, 0%Z)). assumption.
Qed.
Fixpoint blocks_itv (ps : list prepared_block) (xs : list (list itv)) : option (list (list itv)) :=
  match ps with [] => Some xs | p :: r => match block_itv p xs with None => None | Some ys => blocks_itv r ys end end.
Lemma blocks_sound : forall e ps bs, exp_ok e -> Forall2 represents_block ps bs -> forall XS xs YS ys, Forall2 (Forall2 holds) XS xs ->
  blocks_itv ps XS = Some YS -> blocks_run e bs xs ys -> Forall2 (Forall2 holds) YS ys.
Proof.
  intros e ps bs E. induction 1 as [|p b ps bs R _ IH]; simpl; intros XS xs YS ys HX C A; [apply some_injective in C; subst; exact HX|].
  destruct (block_itv p XS) as [MID|] eqn:B; [|discriminate]. destruct A as (mid & A1 & A2).
  eapply IH; [|exact C|exact A2]. eapply block_sound; eassumption.
Qed.
Definition forward_itv (p : prepared_model) (word : list nat) : option (list (list itv)) :=
  match every (fun it => embedded_itv p (fst it) (snd it)) (numbered word) with
  | None => None
  | Some x0 =>
    match every (mlp_itv (pinput p)) x0 with
    | None => None
    | Some x1 => match blocks_itv (pblocks p) x1 with None => None | Some x2 => every (maps_itv (preadout p)) x2 end
    end
  end.
Theorem forward_sound : forall e n p m word L logits, exp_ok e -> represents_model n p m -> forward_itv p word = Some L ->
  runs e m word logits -> Forall2 (Forall2 holds) L logits.
Proof.
  intros e n p m word L logits E R C (x0 & x1 & x2 & H0 & H1 & H2 & H3). unfold forward_itv in C.
  destruct (every _ (numbered word)) as [X0|] eqn:E0; [|discriminate]. destruct (every (mlp_itv (pinput p)) X0) as [X1|] eqn:E1; [|discriminate].
  destruct (blocks_itv (pblocks p) X1) as [X2|] eqn:E2; [|discriminate].
  assert (A0 : Forall2 (Forall2 holds) X0 x0).
  { refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ E0 (Forall2_refl_eq _ _) H0). intros [i t] X it x <- EX Hx. cbn [fst snd] in *.
    eapply embedded_sound; eassumption. }
  assert (A1 : Forall2 (Forall2 holds) X1 x1).
  { refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ E1 A0 H1). intros. eapply mlp_sound; [apply (rep_input _ _ _ R)| | |]; eassumption. }
  assert (A2 : Forall2 (Forall2 holds) X2 x2) by (eapply blocks_sound; [exact E|apply (rep_blocks _ _ _ R)|exact A1|exact E2|exact H2]).
  refine (every_Forall2 _ _ _ _ _ _ _ _ _ _ _ _ _ C A2 H3). intros. eapply maps_sound; [apply (rep_readout _ _ _ R)| | |]; eassumption.
Qed.

(* Answers. *)
Definition answer_is (classes : list Z) (l : list itv) (v : Z) : bool :=
  existsb (fun k => highest k l && (nth k classes 0 =? v)%Z) (seq 0 (length l)).
Fixpoint all_are (classes : list Z) (ls : list (list itv)) (vs : list Z) : bool :=
  match ls, vs with [], [] => true | l :: r, v :: s => answer_is classes l v && all_are classes r s | _, _ => false end.
Lemma all_are_sound : forall classes L logits vs, Forall2 (Forall2 holds) L logits -> all_are classes L vs = true -> answers classes logits = vs.
Proof.
  intros classes L logits vs H. revert vs. induction H as [|l x L logits Hl _ IH]; intros [|v vs] C; simpl in *; try discriminate; [reflexivity|].
  apply andb_true_iff in C. destruct C as [C1 C2]. rewrite (IH vs C2). f_equal. unfold answer_is in C1. apply existsb_exists in C1.
  destruct C1 as (k & _ & K). apply andb_true_iff in K. destruct K as [K1 K2]. rewrite (argmax_sound k l x Hl K1). now apply Z.eqb_eq.
Qed.
Definition word_ok (p : prepared_model) (classes : list Z) (spec : list nat -> list Z) (word : list nat) : bool :=
  match forward_itv p word with None => false | Some ls => all_are classes ls (spec word) end.

Fixpoint words (a n : nat) : list (list nat) :=
  match n with O => [[]] | S n => flat_map (fun w => map (fun t => t :: w) (seq 0 a)) (words a n) end.
Lemma words_all : forall a w, Forall (fun t => (t < a)%nat) w -> In w (words a (length w)).
Proof.
  induction w as [|t w IH]; intros H; [now left|]. inversion H; subst. simpl. apply in_flat_map. exists w. split; [now apply IH|].
  apply in_map_iff. exists t. split; [reflexivity|]. apply in_seq. lia.
Qed.
Definition all_words_ok (m : model) (classes : list Z) (spec : list nat -> list Z) (tokens n : nat) : bool :=
  match prepare_model n m with
  | None => false
  | Some p => forallb (word_ok p classes spec) (flat_map (words tokens) (seq 1 n))
  end.
(* Level 1: if the check of all words succeeds, every run of the model on such a word gives the answers of the specification. *)
Theorem by_enumeration : forall m classes spec tokens n, all_words_ok m classes spec tokens n = true ->
  forall e word logits, exp_ok e -> Forall (fun t => (t < tokens)%nat) word -> (1 <= length word <= n)%nat -> runs e m word logits ->
  answers classes logits = spec word.
Proof.
  intros m classes spec tokens n C e word logits E W L R. unfold all_words_ok in C. destruct (prepare_model n m) as [p|] eqn:P; [|discriminate].
  rewrite forallb_forall in C. specialize (C word). unfold word_ok in C.
  destruct (forward_itv p word) as [ls|] eqn:F.
  - eapply all_are_sound; [eapply forward_sound; [exact E|apply prepare_model_sound; exact P|exact F|exact R]|]. apply C.
    apply in_flat_map. exists (length word). split; [apply in_seq; lia|now apply words_all].
  - discriminate C. apply in_flat_map. exists (length word). split; [apply in_seq; lia|now apply words_all].
Qed.
