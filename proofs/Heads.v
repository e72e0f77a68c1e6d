(* Heads over all words at once: scores on pairs of partial states; counts, single keys and means. *)
From Coq Require Import ZArith Reals List Lia Lra Bool.
From Flocq Require Import Core BinarySingleNaN.
From Capax Require Import Binary32 Sums Softmax Network Program Intervals Words States Facts Unique Layers.
Import ListNotations.
Open Scope Z_scope.

Lemma Forall2_by_nth : forall A B (R : A -> B -> Prop) l l' a b, length l = length l' ->
  (forall c, (c < length l)%nat -> R (nth c l a) (nth c l' b)) -> Forall2 R l l'.
Proof.
  intros A B R l. induction l as [|x l IH]; intros [|y l'] a b L H; simpl in *; try discriminate; [constructor|]. constructor.
  - apply (H 0%nat). lia.
  - apply (IH l' a b); [congruence|]. intros c Hc. apply (H (S c)). lia.
Qed.
Lemma numbered_nth : forall A (l : list A) c d, (c < length l)%nat -> nth c (numbered l) (0%nat, d) = (c, nth c l d).
Proof. intros A l c d H. unfold numbered. rewrite combine_nth by apply seq_length. now rewrite seq_nth. Qed.
Lemma numbered_length : forall A (l : list A), length (numbered l) = length l.
Proof. intros. unfold numbered. rewrite combine_length, seq_length. lia. Qed.

Lemma embedded_slots_sound : forall f m s i token X x, (forall D, In (keep D s) (reach f D)) -> nth 0 s 0 = Z.of_nat token -> nth 1 s 0 = Z.of_nat i ->
  (token < token_count f)%nat -> shapes_ok f m = true -> embedded_slots f m = Some X -> embedded m i token x -> Forall2 (slot_holds s) X x.
Proof.
  intros f m s i token X x Ev S0 S1 Tk Sh C A. unfold shapes_ok in Sh. rewrite !andb_true_iff in Sh. destruct Sh as ((Sh1 & Sh2) & Sh3).
  rewrite forallb_forall in Sh1, Sh2. apply Nat.leb_le in Sh3. set (d := length (positions m)) in *. unfold embedded_slots in C.
  destruct (every weights (embedding m)) as [ts|] eqn:ET; [|discriminate]. destruct (every (feature_slot f) (features m)) as [fs|] eqn:EF; [|discriminate].
  destruct (every weights (positions m)) as [ws|] eqn:EW; [|discriminate].
  apply every_sound in ET, EF, EW, C. unfold embedded, adds in A. set (row := nth token (embedding m) []) in *.
  set (bs := bias (position_map m i)) in *. cbn [rows position_map] in A. fold bs in A.
  assert (Lrow : length row = d) by (apply Nat.eqb_eq, Sh1, nth_In; lia).
  assert (Lb : length bs = d).
  { unfold bs, position_map. cbn [bias]. destruct (Nat.lt_ge_cases i (length (table m))) as [H|H].
    - rewrite (nth_indep _ _ []) by exact H. apply Nat.eqb_eq, Sh2, nth_In, H.
    - rewrite nth_overflow by exact H. apply repeat_length. }
  assert (Lw : length ws = d) by (symmetry; exact (Forall2_length _ _ _ _ _ EW)).
  assert (LX : length X = d) by (rewrite <- (Forall2_length _ _ _ _ _ C), numbered_length; exact Lw).
  assert (Lx : length x = d) by (rewrite <- (Forall2_length _ _ _ _ _ A), !combine_length, map_length, Lrow, Lb; fold d; lia).
  apply (Forall2_by_nth _ _ _ _ _ {| deps := []; cells := [] |} fzero); [congruence|]. intros c Hc. rewrite LX in Hc.
  pose proof (Forall2_nth _ _ _ _ _ (0%nat, []) {| deps := []; cells := [] |} c C ltac:(rewrite numbered_length; lia)) as Cc. cbv beta in Cc.
  rewrite numbered_nth in Cc by lia. cbn [fst snd] in Cc.
  pose proof (Forall2_nth _ _ _ _ _ (fzero, ([], (0, 0))) fzero c A ltac:(rewrite !combine_length, map_length, Lrow, Lb; fold d; lia)) as Ac. cbv beta in Ac.
  rewrite combine_nth in Ac by (rewrite map_length, combine_length, Lrow, Lb; fold d; lia).
  rewrite combine_nth in Ac by (symmetry; exact Lb). cbn [fst snd] in Ac.
  destruct (token_slot f (column_itv c ts)) as [xs|] eqn:TS; [|discriminate]. destruct (table_slot f m c) as [bsl|] eqn:BS; [|discriminate].
  eapply linear_slot_sound; [exact Ev|exact Cc| | | | |exact Ac].
  - rewrite (nth_indep _ fzero (fl (0, 0))) by (rewrite map_length; lia). rewrite map_nth.
    assert (Lt : length ts = length (embedding m)) by (symmetry; exact (Forall2_length _ _ _ _ _ ET)).
    set (col := column_itv c ts) in *. assert (Lc : length col = length ts) by (unfold col, column_itv; apply map_length).
    assert (Hh : holds (nth token col zero_itv) (fl (nth c row (0, 0)))).
    { pose proof (Forall2_nth _ _ _ _ _ [] [] token ET ltac:(lia)) as E. cbv beta in E. apply weights_sound in E. fold row in E.
      unfold col, column_itv. rewrite (nth_indep _ zero_itv (nth c [] zero_itv)) by (rewrite map_length; lia). rewrite (map_nth (fun v => nth c v zero_itv)).
      pose proof (Forall2_nth _ _ _ _ _ zero_itv fzero c E ltac:(rewrite (Forall2_length _ _ _ _ _ E), map_length; lia)) as Q. cbv beta in Q.
      rewrite (nth_indep _ fzero (fl (0, 0))) in Q by (rewrite map_length; lia). rewrite map_nth in Q. exact Q. }
    unfold token_slot in TS. match type of TS with (if ?b then _ else _) = _ => destruct b eqn:K end.
    + apply andb_true_iff in K. destruct K as [K _]. rewrite forallb_forall in K. specialize (K (nth token col zero_itv) ltac:(apply nth_In; lia)).
      apply andb_true_iff in K. destruct K as [K1 K2]. apply Z.eqb_eq in K1, K2.
      assert (E : nth token col zero_itv = hd zero_itv col) by (destruct (nth token col zero_itv), (hd zero_itv col); simpl in *; congruence).
      rewrite E in Hh. eapply const_slot_holds; [exact Ev|exact TS|exact Hh].
    + destruct (make_slot_look f s Ev _ _ _ TS) as (_ & j & Lj & G). rewrite (keep_agree [0%nat] s 0%nat) in G by (now left). rewrite S0, Nat2Z.id in G.
      exists j. split; [exact Lj|]. apply nth_error_nth with (d := zero_itv) in G. now rewrite <- G.
  - unfold table_slot in BS. unfold bs, position_map. cbn [bias]. destruct (table m) as [|tr tt] eqn:TM.
    + match goal with |- slot_holds _ _ (fl ?t) => assert (Z0 : t = (0, 0)) end.
      { destruct i; simpl; clear; match goal with |- nth _ (repeat _ ?k) _ = _ => generalize k end; intros k; revert c; induction k; intros [|c]; simpl; auto. }
      rewrite Z0. eapply const_slot_holds; [exact Ev|exact BS|exact zero_holds].
    + destruct (make_slot_look f s Ev _ _ _ BS) as (_ & j & Lj & G). rewrite (keep_agree [1%nat] s 1%nat) in G by (now left). rewrite S1, Nat2Z.id in G.
      unfold position_map in G. cbn [bias] in G. rewrite TM in G. exists j. split; [exact Lj|]. now apply weight_sound.
  - clear -EF Ev S1. induction EF as [|y a l fs Ha _ IH]; simpl; constructor; auto. unfold feature_slot in Ha.
    destruct (make_slot_look f s Ev _ _ _ Ha) as (_ & j & Lj & G). rewrite (keep_agree [1%nat] s 1%nat) in G by (now left). rewrite S1, Nat2Z.id in G.
    exists j. split; [exact Lj|]. apply (weight_sound (feature_at i y, 0)). exact G.
  - pose proof (Forall2_nth _ _ _ _ _ [] [] c EW ltac:(fold d; lia)) as E. cbv beta in E. now apply weights_sound.
Qed.

(* What a head computes. *)
Inductive task :=
  | Counts (c : nat)                                   (* entry c, a count; the sink is one of the selected keys *)
  | Reads (s v o : expr) (u : uniqueness)              (* the value v of the one key that s selects, which is o of the query *)
  | Means (c : nat).                                   (* entry c, a total, divided by the length *)
(* What a head computes, and entries of the states that its scores are to be looked at with, besides those that it reads. *)
Record head_plan := { what : task; query_entries : list nat; key_entries : list nat }.
Definition selector_of (p : program) (t : task) : option expr :=
  match t with
  | Counts c => if is_definition p c then match definition_at p c with Count s => Some s | _ => None end else None
  | Reads s _ _ _ => Some s
  | Means _ => Some (Num 1)
  end.
Definition sink_on (t : task) : bool := match t with Counts _ => true | _ => false end.

Definition linked (Dq Dk : list nat) (q k : state) : bool := negb (mem 2 Dq && mem 2 Dk) || (nth 2 q 0 =? nth 2 k 0).
Definition seen (m : mask) (q k : state) : bool := sees m (Z.to_nat (nth 1 q 0)) (Z.to_nat (nth 1 k 0)).
Definition small (i : itv) : bool := size i <=? Z.shiftl 1 160.
Definition level (t : Z) (b : bool) (i : itv) : bool := small i && if b then flag t i else snd i <=? t - gap.
Definition pair_ok (Dq Dk : list nat) (m : mask) (s : expr) (t : Z) (q : state) (qv : list itv) (k : state * list itv) : bool :=
  negb (linked Dq Dk q (fst k)) ||
  (if seen m q (fst k)
   then match total (terms_of qv (snd k)) with None => false | Some i => level t (selects s q (fst k)) i end
   else negb (selects s q (fst k))).
Definition sink_ok (on : bool) (t : Z) (qv : list itv) (sk : option (list itv)) : bool :=
  match sk with None => negb on | Some k => match total (terms_of qv k) with None => false | Some i => level t on i end end.
Definition query_ok (Dq Dk : list nat) (m : mask) (s : expr) (on : bool) (sk : option (list itv)) (ks : list (state * list itv)) (Q : list slot) (q : state) : bool :=
  match every (fun a => look a q) Q with
  | None => false
  | Some qv =>
    let first := if on then match sk with None => None | Some k => Some (total (terms_of qv k)) end
                 else match find (fun k => linked Dq Dk q (fst k) && selects s q (fst k)) ks with None => None | Some k => Some (total (terms_of qv (snd k))) end in
    match first with
    | None => negb on
    | Some None => false
    | Some (Some i) => forallb (pair_ok Dq Dk m s (fst i) q qv) ks && sink_ok on (fst i) qv sk
    end
  end.
Definition covers (m : mask) (s : expr) (Q K : list slot) (Dq Dk : list nat) : bool :=
  subset (flat_map deps Q ++ heres s) Dq && subset (flat_map deps K ++ theres s) Dk &&
  match m with Everything => true | _ => mem 1 Dq && mem 1 Dk end.
Definition scores_ok (f : facts) (m : mask) (s : expr) (on : bool) (sk : option (list itv)) (Q K : list slot) (Dq Dk : list nat) : bool :=
  covers m s Q K Dq Dk &&
  match every (fun k => match every (fun a => look a k) K with None => None | Some v => Some (k, v) end) (reach f Dk) with
  | None => false
  | Some ks => forallb (query_ok Dq Dk m s on sk ks Q) (reach f Dq)
  end.

(* Which keys a query sees. *)
Definition seen_keys (m : mask) (i n : nat) : list nat := filter (sees m i) (seq 0 n).
Lemma visible_nth : forall A (m : mask) i (l : list A) d, visible m i l = map (fun j => nth j l d) (seen_keys m i (length l)).
Proof.
  intros A m i l d. unfold visible, seen_keys, numbered.
  assert (G : forall l' k, (forall j, (j < length l')%nat -> nth j l' d = nth (k + j) l d) ->
    map snd (filter (fun p => sees m i (fst p)) (combine (seq k (length l')) l')) = map (fun j => nth j l d) (filter (sees m i) (seq k (length l')))).
  { induction l' as [|x l' IH]; intros k H; simpl; [reflexivity|]. pose proof (H 0%nat ltac:(simpl; lia)) as H0. simpl in H0. rewrite Nat.add_0_r in H0.
    assert (HT : forall j, (j < length l')%nat -> nth j l' d = nth (S k + j) l d).
    { intros j Hj. specialize (H (S j) ltac:(simpl; lia)). simpl in H. rewrite H. f_equal. lia. }
    destruct (sees m i k); simpl; rewrite (IH (S k) HT); [now rewrite H0|reflexivity]. }
  apply (G l 0%nat). auto.
Qed.
Lemma seen_keys_In : forall m i n j, In j (seen_keys m i n) <-> (j < n)%nat /\ sees m i j = true.
Proof. intros. unfold seen_keys. rewrite filter_In, in_seq. intuition lia. Qed.

Open Scope R_scope.
Definition scored (T : R) (b : bool) (s : f32) : Prop := fin s = true /\ Rabs (val s) <= pow2 100 /\ (if b then val s = T else val s <= T - 104).
Lemma level_sound : forall t b i s, level t b i = true -> holds i s -> scored (IZR t * pow2 (-60)) b s.
Proof.
  intros t b i s C H. unfold level, small in C. apply andb_true_iff in C. destruct C as [B C]. apply Z.leb_le in B.
  pose proof (holds_abs i s H) as Ab. destruct H as (F & L & U). split; [exact F|]. split.
  - eapply Rle_trans; [exact Ab|]. exact (size_bound _ 160 ltac:(lia) B).
  - destruct b.
    + unfold flag in C. apply andb_true_iff in C. destruct C as [E1 E2]. apply Z.eqb_eq in E1, E2. rewrite E1 in L. rewrite E2 in U. lra.
    + apply Z.leb_le in C. eapply Rle_trans; [exact U|]. eapply Rle_trans; [apply below_mult; exact C|].
      rewrite minus_IZR, Rmult_minus_distr_r. apply Rplus_le_compat_l, Ropp_le_contravar.
      change gap with (104 * 2 ^ 60)%Z. rewrite mult_IZR, pow2_IZR, Rmult_assoc, <- bpow_plus by lia. change (pow2 (60 + -60)) with 1. lra.
Qed.
Lemma scored_keys : forall T flags s v, Forall2 (scored T) flags s -> length s = length v -> Forall (separated T) (keys_of flags s v).
Proof.
  intros T flags s v H. revert v. induction H as [|b x flags s Hx _ IH]; intros [|y v] L; simpl in *; try discriminate; [constructor|].
  unfold keys_of in *. simpl. constructor; [exact Hx|]. apply IH. congruence.
Qed.

(* The mean of the selected values, from sums of their intervals. *)
Definition quotient (lo hi k n s : Z) : itv :=
  (let err := ((4 * n + 2) * s) / (k * 2 ^ 24) + 2 in (lo / k - err, - ((- hi) / k) + err))%Z.
Lemma mean_core : forall e T flags s vs v r, exp_ok e -> Forall2 (scored T) flags s -> Forall2 holds vs v -> length s = length v ->
  let sel := picked flags vs in let k := Z.of_nat (length sel) in
  (1 <= k <= most_terms)%Z -> (sizes sel <= Z.shiftl 1 159)%Z -> mean_of e s v r ->
  (forall n z, (nonzeros sel <= n <= k)%Z -> (sizes sel <= z)%Z -> holds (quotient (lows sel) (highs sel) k n z) r) /\
  (k = 1%Z -> holds (lows sel, highs sel) r).
Proof.
  intros e T flags s vs v r E HS HV LV sel k K B R. pose proof (Forall2_length _ _ _ _ _ HS) as LF.
  pose proof (scored_keys T flags s v HS LV) as Sep. destruct (keys_sums flags s vs v LF LV HV) as (Cn & Sm & Ab & Nz & Fv).
  destruct (keys_scores flags s v LF LV) as [Ks Kv]. fold sel in Cn, Sm, Ab, Nz. set (xs := keys_of flags s v) in *. rewrite <- Ks, <- Kv in R.
  assert (Ab2 : sabs xs <= pow2 99) by (eapply Rle_trans; [exact Ab|]; exact (size_bound _ 159 ltac:(lia) B)).
  destruct (mean_error e T xs r E Sep) as (Fr & Er & One); auto; [rewrite Cn; exact K|]. fold k in Cn. rewrite Cn in Er, One. split.
  - intros n z N Hz. split; [exact Fr|]. unfold quotient. cbv zeta. cbn [fst snd].
    pose proof (nonzeros_length sel) as NL. pose proof (sizes_pos sel) as SP.
    apply (mean_bounds (lows sel) (highs sel) k n z (ssum xs) (sabs xs)); auto; [lia|lia| |].
    + split; [apply sabs_pos|]. eapply Rle_trans; [exact Ab|]. now apply below_mult.
    + eapply Rle_trans; [exact Er|]. apply Rmult_le_compat_r; [|apply IZR_le; lia].
      pose proof u_pos. pose proof eta_pos. pose proof (sabs_pos xs).
      assert (0 <= sabs xs / IZR k) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; apply IZR_lt; lia]).
      assert (0 <= u * (sabs xs / IZR k)) by (apply Rmult_le_pos; lra). lra.
  - intros K1. split; [exact Fr|]. rewrite (One K1). exact Sm.
Qed.

(* Picked intervals. *)
Open Scope Z_scope.
Lemma picked_app : forall f1 v1 f2 v2, length f1 = length v1 -> picked (f1 ++ f2) (v1 ++ v2) = picked f1 v1 ++ picked f2 v2.
Proof.
  induction f1 as [|b f1 IH]; intros [|v v1] f2 v2 L; simpl in *; try discriminate; [reflexivity|]. rewrite IH by congruence. destruct b; reflexivity.
Qed.
Lemma picked_none : forall (g : nat -> bool) (h : nat -> itv) js, (forall j, In j js -> g j = false) -> picked (map g js) (map h js) = [].
Proof. induction js as [|j js IH]; intros H; simpl; [reflexivity|]. rewrite (H j) by (now left). apply IH. intros. apply H. now right. Qed.
Lemma picked_unique : forall (g : nat -> bool) (h : nat -> itv) js a, NoDup js -> In a js -> g a = true -> (forall j, In j js -> g j = true -> j = a) ->
  picked (map g js) (map h js) = [h a].
Proof.
  induction js as [|j js IH]; intros a N I G U; [contradiction|]. inversion N as [|? ? Nj N']; subst. simpl. destruct (g j) eqn:Gj.
  - assert (j = a) by (apply U; [now left|exact Gj]). subst j. f_equal. apply picked_none. intros b Ib. destruct (g b) eqn:Gb; [|reflexivity].
    rewrite (U b) in Ib by (auto; now right). contradiction.
  - destruct I as [->|I]; [congruence|]. apply IH; auto. intros. apply U; [now right|assumption].
Qed.
Lemma picked_const : forall (g : nat -> bool) z js, picked (map g js) (map (fun _ => z) js) = repeat z (length (filter g js)).
Proof. induction js as [|j js IH]; simpl; [reflexivity|]. rewrite IH. destruct (g j); reflexivity. Qed.
Lemma picked_all : forall (g : nat -> bool) (h : nat -> itv) js, (forall j, In j js -> g j = true) -> picked (map g js) (map h js) = map h js.
Proof. induction js as [|j js IH]; intros H; simpl; [reflexivity|]. rewrite (H j) by (now left). f_equal. apply IH. intros. apply H. now right. Qed.
Lemma zeros_then : forall k v, let l := repeat zero_itv k ++ [v] in
  lows l = fst v /\ highs l = snd v /\ sizes l = size v /\ nonzeros l = nonzero v /\ length l = S k.
Proof.
  induction k as [|k IH]; intros v; cbv zeta.
  - simpl. repeat split; lia.
  - destruct (IH v) as (A & B & C & D & E). cbv zeta in *. cbn [repeat app lows highs sizes nonzeros fold_right length]. 
    fold (lows (repeat zero_itv k ++ [v])) (highs (repeat zero_itv k ++ [v])) (sizes (repeat zero_itv k ++ [v])) (nonzeros (repeat zero_itv k ++ [v])).
    rewrite A, B, C, D, E. repeat split; reflexivity.
Qed.
Lemma filter_filter_len : forall (g h : nat -> bool) l, (forall x, In x l -> g x = true -> h x = true) -> length (filter g (filter h l)) = length (filter g l).
Proof.
  induction l as [|x l IH]; intros H; simpl; [reflexivity|]. assert (IH' := IH (fun y I => H y (or_intror I))). pose proof (H x (or_introl eq_refl)) as Hx.
  destruct (h x) eqn:E; simpl; destruct (g x) eqn:G; simpl; try congruence. discriminate (Hx eq_refl).
Qed.
Lemma filter_map_len : forall A B (h : B -> bool) (F : A -> B) l, length (filter h (map F l)) = length (filter (fun x => h (F x)) l).
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. destruct (h (F x)); simpl; congruence. Qed.
Lemma filter_seq_len : forall A (g : A -> bool) (l : list A) d, length (filter (fun j => g (nth j l d)) (seq 0 (length l))) = length (filter g l).
Proof.
  intros A g l d. induction l as [|x l IH]; [reflexivity|].
  assert (E : length (filter (fun j => g (nth j (x :: l) d)) (map S (seq 0 (length l)))) = length (filter g l)).
  { rewrite filter_map_len. exact IH. }
  change (seq 0 (length (x :: l))) with (0%nat :: seq 1 (length l)). rewrite <- seq_shift.
  change (filter g (x :: l)) with (if g x then x :: filter g l else filter g l).
  change (filter (fun j => g (nth j (x :: l) d)) (0%nat :: map S (seq 0 (length l)))) with
    (if g x then 0%nat :: filter (fun j => g (nth j (x :: l) d)) (map S (seq 0 (length l))) else filter (fun j => g (nth j (x :: l) d)) (map S (seq 0 (length l)))).
  destruct (g x); cbn [length]; rewrite E; reflexivity.
Qed.
Lemma filter_single : forall A (g : A -> bool) (l : list A) d j, (j < length l)%nat -> g (nth j l d) = true ->
  (forall j', (j' < length l)%nat -> g (nth j' l d) = true -> j' = j) -> filter g l = [nth j l d].
Proof.
  induction l as [|x l IH]; intros d j H G U; simpl in H; [lia|]. destruct j as [|j]; cbn [nth] in *.
  - simpl. rewrite G. f_equal. destruct (filter g l) as [|y r] eqn:E; [reflexivity|]. assert (I : In y (filter g l)) by (rewrite E; now left).
    apply filter_In in I. destruct I as [I Gy]. apply (In_nth _ _ d) in I. destruct I as (k & Hk & <-). discriminate (U (S k) ltac:(simpl; lia) Gy).
  - simpl. destruct (g x) eqn:Gx; [discriminate (U 0%nat ltac:(simpl; lia) Gx)|]. apply IH; [lia|exact G|].
    intros j' H' G'. assert (S j' = S j) by (apply U; [simpl; lia|exact G']). congruence.
Qed.

Definition expr_eq_dec : forall a b : expr, {a = b} + {a <> b}.
Proof. decide equality; try apply Z.eq_dec; apply Nat.eq_dec. Defined.
Definition same (a b : expr) : bool := if expr_eq_dec a b then true else false.
Definition scaled_slots (f : facts) (c : itv) (Q : list slot) : option (list slot) :=
  every (fun a => make_slot f (deps a) (fun p => match look a p with None => None | Some i => total [imul c i] end)) Q.
Definition hull (l : list itv) : option itv :=
  match l with [] => Some zero_itv | x :: r => Some (fold_left (fun a b => (Z.min (fst a) (fst b), Z.max (snd a) (snd b))) r x) end.
Definition value_is_answer (p : program) (f : facts) (s v o : expr) : bool :=
  match o with
  | Here c => is_definition p c && match definition_at p c with Pick s' v' _ => same s s' && same v v' | _ => false end
  | _ => false
  end ||
  (let ks := reach f (nodup Nat.eq_dec (2%nat :: theres s ++ theres v)) in
   forallb (fun q => forallb (fun k => negb (nth 2 q 0 =? nth 2 k 0) || negb (selects s q k) || (value_of [] k v =? value_of q [] o)) ks)
     (reach f (nodup Nat.eq_dec (2%nat :: heres s ++ heres o)))).
Definition read_out (f : facts) (v o : expr) (V : slot) : option slot :=
  match every (fun k => match look V k with None => None | Some i => if size i <=? Z.shiftl 1 159 then Some (value_of [] k v, i) else None end) (reach f (nodup Nat.eq_dec (deps V ++ theres v))) with
  | None => None
  | Some vs => make_slot f (nodup Nat.eq_dec (heres o)) (fun q => hull (map snd (filter (fun x => fst x =? value_of q [] o) vs)))
  end.
Definition counted (f : facts) (c : nat) (sv : itv) : option slot :=
  make_slot f [c] (fun p => let k := nth c p 0 in
    if (0 <=? k) && (k + 1 <=? most_terms) && (size sv <=? Z.shiftl 1 159) then Some (quotient (fst sv) (snd sv) (k + 1) 1 (size sv)) else None).
Definition averaged (f : facts) (c : nat) (v : expr) (V : slot) : option slot :=
  let ks := reach f (nodup Nat.eq_dec (deps V ++ theres v)) in
  let most := fold_right (fun k a => Z.max (Z.abs (value_of [] k v)) a) 0 ks in
  if forallb (fun k => match look V k with None => false | Some i => (fst i =? value_of [] k v * one_unit) && (snd i =? value_of [] k v * one_unit) end) ks
  then make_slot f [c; 2%nat] (fun p => let n := nth 2 p 0 in let t := nth c p 0 * one_unit in
    if (1 <=? n) && (n <=? most_terms) && (n * most * one_unit <=? Z.shiftl 1 159) then Some (quotient t t n n (n * most * one_unit)) else None)
  else None.
Definition all_zero (V : slot) : bool := forallb (fun c => is_zero (snd c)) (cells V).
Definition outputs (p : program) (f : facts) (t : task) (m : mask) (sk : option (list itv * list itv)) (V : list slot) : option (list slot) :=
  match t with
  | Counts c =>
    match sk with
    | None => None
    | Some (_, sv) => if forallb all_zero V then every (fun cv => counted f c (nth (fst cv) sv zero_itv)) (numbered V) else None
    end
  | Reads s v o u =>
    if unique_ok p f s u && value_is_answer p f s v o && subset (heres v) [] && subset (theres o) [] then every (read_out f v o) V else None
  | Means c =>
    match definition_at p c, m, sk with
    | Total v, Everything, None => if is_definition p c && subset (heres v) [] then every (averaged f c v) V else None
    | _, _, _ => None
    end
  end.
Definition head_slots (p : program) (f : facts) (dim : nat) (plan : head_plan) (h : prepared_head) (X : list slot) : option (list slot) :=
  match maps_slots f (pq h) X, maps_slots f (pk h) X, maps_slots f (pv h) X, selector_of p (what plan) with
  | Some Q0, Some K, Some Vs, Some s =>
    match scaled_slots f (pscale h) Q0 with
    | None => None
    | Some Q =>
      let Dq := nodup Nat.eq_dec (flat_map deps Q ++ heres s ++ query_entries plan) in
      let Dk := nodup Nat.eq_dec (flat_map deps K ++ theres s ++ key_entries plan) in
      if scores_ok f (pmask h) s (sink_on (what plan)) (sink_key (psink h)) Q K Dq Dk && (length Vs =? dim)%nat
      then outputs p f (what plan) (pmask h) (psink h) Vs else None
    end
  | _, _, _, _ => None
  end.

Section Word.
Variable p : program.
Variable f : facts.
Variable word : list nat.
Hypothesis checked : facts_ok p f = true.
Hypothesis tokens_in : Forall (fun t => (t < token_count f)%nat) word.
Hypothesis length_in : (1 <= length word <= longest f)%nat.
Notation n := (length word).
Notation sts := (states p word).
Notation st i := (nth i (states p word) ([] : state)).
Notation scope := (scope p f checked).

Lemma ev : forall i, (i < n)%nat -> forall D, In (keep D (st i)) (reach f D).
Proof. intros i H D. apply (known p f word checked tokens_in length_in i D H). Qed.
Lemma looks : forall i D Q q qv, (i < n)%nat -> subset (flat_map deps Q) D = true -> Forall2 (slot_holds (st i)) Q q ->
  every (fun a => look a (keep D (st i))) Q = Some qv -> Forall2 holds qv q.
Proof.
  intros i D Q q qv Hi S H E. apply every_sound in E. revert qv E. induction H as [|a x Q q (j & L & Hx) _ IH]; intros qv E; inversion E as [|? b ? qv' Eb E']; subst; constructor.
  - rewrite look_keep in Eb; [rewrite L in Eb; apply some_injective in Eb; now subst|]. intros c I. apply (subset_In _ _ S). simpl. apply in_or_app. now left.
  - apply IH; [|exact E']. apply subset_of. intros c I. apply (subset_In _ _ S). simpl. apply in_or_app. now right.
Qed.
Lemma subset_app : forall A B D, subset (A ++ B) D = true -> subset A D = true /\ subset B D = true.
Proof. intros A B D H. unfold subset in *. rewrite forallb_app in H. now apply andb_true_iff in H. Qed.

Theorem scores_sound : forall m s on sk skv Q K Dq Dk i q ks scores, scores_ok f m s on sk Q K Dq Dk = true -> (i < n)%nat ->
  Forall2 (slot_holds (st i)) Q q -> length ks = n -> (forall j, (j < n)%nat -> Forall2 (slot_holds (st j)) K (nth j ks [])) ->
  match sk, skv with Some a, Some b => Forall2 holds a b | None, None => True | _, _ => False end ->
  Forall2 (fun k r => sums (products q k) r) (with_sink (visible m i ks) skv) scores ->
  (on = true \/ exists j, (j < n)%nat /\ selects s (st i) (st j) = true) ->
  (forall j, (j < n)%nat -> selects s (st i) (st j) = true -> sees m i j = true) /\
  exists T, Forall2 (scored T) (with_sink (map (fun j => selects s (st i) (st j)) (seen_keys m i n)) (option_map (fun _ => on) skv)) scores.
Proof.
  intros m s on sk skv Q K Dq Dk i q ks scores C Hi HQ Lk HK HS R Some_sel. unfold scores_ok in C. apply andb_true_iff in C. destruct C as [Cov C].
  unfold covers in Cov. rewrite !andb_true_iff in Cov. destruct Cov as ((C1 & C2) & C3). apply subset_app in C1, C2. destruct C1 as [CQ Cq], C2 as [CK Ck].
  destruct (every _ (reach f Dk)) as [kl|] eqn:EK; [|discriminate]. rewrite forallb_forall in C. specialize (C _ (ev i Hi Dq)).
  unfold query_ok in C. destruct (every (fun a => look a (keep Dq (st i))) Q) as [qv|] eqn:EQ; [|discriminate].
  pose proof (looks i Dq Q q qv Hi CQ HQ EQ) as Hq.
  assert (InK : forall j, (j < n)%nat -> exists kv, In (keep Dk (st j), kv) kl /\ Forall2 holds kv (nth j ks [])).
  { intros j Hj. pose proof (ev j Hj Dk) as I. apply every_sound in EK. clear -I EK HK Hj CK checked tokens_in length_in.
    induction EK as [|k x l kl Ex _ IH]; [contradiction|]. destruct I as [->|I].
    - destruct (every (fun a => look a (keep Dk (st j))) K) as [kv|] eqn:E; [|discriminate]. apply some_injective in Ex. subst x.
      exists kv. split; [now left|]. exact (looks j Dk K _ kv Hj CK (HK j Hj) E).
    - destruct (IH I) as (kv & Ik & Hk). exists kv. split; [now right|exact Hk]. }
  assert (Lnk : forall j, (j < n)%nat -> linked Dq Dk (keep Dq (st i)) (keep Dk (st j)) = true).
  { intros j Hj. unfold linked. destruct (mem 2 Dq) eqn:M1; [|reflexivity]. destruct (mem 2 Dk) eqn:M2; [|reflexivity]. simpl.
    rewrite (keep_agree Dq (st i) 2%nat) by (now apply mem_In). rewrite (keep_agree Dk (st j) 2%nat) by (now apply mem_In).
    rewrite (proj2 (proj2 (state_base p word scope i Hi))), (proj2 (proj2 (state_base p word scope j Hj))). apply Z.eqb_refl. }
  assert (Sel : forall j, selects s (keep Dq (st i)) (keep Dk (st j)) = selects s (st i) (st j)).
  { intros j. unfold selects. f_equal. apply value_agree; intros c I; apply keep_agree; [exact (subset_In _ _ Cq c I)|exact (subset_In _ _ Ck c I)]. }
  assert (See : forall j, (j < n)%nat -> seen m (keep Dq (st i)) (keep Dk (st j)) = sees m i j).
  { intros j Hj. unfold seen. destruct m; [reflexivity| | | |]; apply andb_true_iff in C3; destruct C3 as [M1 M2];
      rewrite (keep_agree Dq (st i) 1%nat) by (now apply mem_In); rewrite (keep_agree Dk (st j) 1%nat) by (now apply mem_In);
      rewrite (proj1 (proj2 (state_base p word scope i Hi))), (proj1 (proj2 (state_base p word scope j Hj))), !Nat2Z.id; reflexivity. }
  set (first := if on then match sk with None => None | Some k => Some (total (terms_of qv k)) end
    else match find (fun k => linked Dq Dk (keep Dq (st i)) (fst k) && selects s (keep Dq (st i)) (fst k)) kl with None => None | Some k => Some (total (terms_of qv (snd k))) end) in *.
  assert (G : exists t, forallb (pair_ok Dq Dk m s t (keep Dq (st i)) qv) kl = true /\ sink_ok on t qv sk = true).
  { destruct first as [[a|]|] eqn:F.
    - apply andb_true_iff in C. exists (fst a). exact C.
    - discriminate.
    - exfalso. destruct on; [discriminate|]. destruct Some_sel as [X|(j & Hj & Sj)]; [discriminate|]. unfold first in F.
      destruct (find _ kl) eqn:Fi; [discriminate|]. destruct (InK j Hj) as (kv & Ik & _). apply (find_none _ _ Fi) in Ik. cbn [fst] in Ik.
      rewrite Lnk, Sel, Sj in Ik by exact Hj. discriminate. }
  destruct G as (t & Pk & Ps). rewrite forallb_forall in Pk.
  assert (PJ : forall j, (j < n)%nat -> (sees m i j = true -> exists kv a, Forall2 holds kv (nth j ks []) /\ total (terms_of qv kv) = Some a /\ level t (selects s (st i) (st j)) a = true) /\
    (selects s (st i) (st j) = true -> sees m i j = true)).
  { intros j Hj. destruct (InK j Hj) as (kv & Ik & Hk). specialize (Pk _ Ik). unfold pair_ok in Pk. cbn [fst snd] in Pk.
    rewrite Lnk, See, Sel in Pk by exact Hj. simpl in Pk. destruct (sees m i j).
    - split; [|auto]. intros _. destruct (total (terms_of qv kv)) as [a|] eqn:E; [|discriminate]. exists kv, a. auto.
    - split; [discriminate|]. intros S. rewrite S in Pk. discriminate. }
  split; [intros j Hj; apply (PJ j Hj)|]. exists (IZR t * pow2 (-60))%R. rewrite (visible_nth _ m i ks []), Lk in R.
  assert (Seen : forall j, In j (seen_keys m i n) -> (j < n)%nat /\ sees m i j = true) by (intros j I; now apply seen_keys_In).
  assert (Body : forall js sc, (forall j, In j js -> (j < n)%nat /\ sees m i j = true) ->
    Forall2 (fun k r => sums (products q k) r) (map (fun j => nth j ks []) js) sc -> Forall2 (scored (IZR t * pow2 (-60))) (map (fun j => selects s (st i) (st j)) js) sc).
  { induction js as [|j js IH]; intros sc Hj RR; simpl in *; inversion RR as [|? r ? sc' Rr RR']; subst; constructor.
    - destruct (Hj j (or_introl eq_refl)) as [Hn Hse]. destruct (proj1 (PJ j Hn) Hse) as (kv & a & Hk & Et & Lv). eapply level_sound; [exact Lv|].
      eapply total_sound; [|exact Et|exact Rr]. now apply terms_sound.
    - apply IH; [|exact RR']. intros. apply Hj. now right. }
  destruct sk as [a|], skv as [b|]; try contradiction; cbn [with_sink option_map] in *.
  - apply Forall2_app_inv_l in R. destruct R as (s1 & s2 & R1 & R2 & ->). apply Forall2_app; [now apply Body|].
    inversion R2 as [|? r ? rr Rr Rn]; subst. inversion Rn; subst. constructor; [|constructor]. unfold sink_ok in Ps.
    destruct (total (terms_of qv a)) as [x|] eqn:E; [|discriminate]. eapply level_sound; [exact Ps|]. eapply total_sound; [|exact E|exact Rr]. now apply terms_sound.
  - now apply Body.
Qed.
End Word.
