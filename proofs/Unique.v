(* Selectors that select exactly one key: by its position, or by its rank in a strict order. *)
From Coq Require Import ZArith List Lia Bool.
From Capax Require Import Network Program States Facts.
Import ListNotations.
Open Scope Z_scope.

(* Ranks of distinct numbers are 0, 1, ..., each once. *)
Definition rank (x : Z) (l : list Z) : nat := length (filter (fun y => y <? x) l).
Lemma filter_less : forall A (g h : A -> bool) l, (forall x, g x = true -> h x = true) -> (length (filter g l) <= length (filter h l))%nat.
Proof.
  intros A g h l H. induction l as [|a l IH]; simpl; [lia|]. destruct (g a) eqn:G; [rewrite (H a G); simpl; lia|]. destruct (h a); simpl; lia.
Qed.
Lemma filter_strict : forall A (g h : A -> bool) l x, (forall x, g x = true -> h x = true) -> In x l -> g x = false -> h x = true ->
  (length (filter g l) < length (filter h l))%nat.
Proof.
  intros A g h l x H. induction l as [|a l IH]; simpl; intros I G K; [contradiction|]. pose proof (filter_less A g h l H). destruct I as [->|I].
  - rewrite G, K. simpl. lia.
  - specialize (IH I G K). destruct (g a) eqn:Ga; [rewrite (H a Ga); simpl; lia|]. destruct (h a); simpl; lia.
Qed.
Lemma rank_less : forall l x y, In x l -> x < y -> (rank x l < rank y l)%nat.
Proof.
  intros l x y I L. apply filter_strict with x; auto.
  - intros z Hz. apply Z.ltb_lt in Hz. apply Z.ltb_lt. lia.
  - apply Z.ltb_irrefl.
  - now apply Z.ltb_lt.
Qed.
Lemma rank_bound : forall l x, In x l -> (rank x l < length l)%nat.
Proof.
  intros l x I. assert (E : length l = length (filter (fun _ : Z => true) l)) by (clear; induction l; simpl; congruence). rewrite E.
  apply filter_strict with x; auto. apply Z.ltb_irrefl.
Qed.
Lemma rank_injective : forall l x y, In x l -> In y l -> rank x l = rank y l -> x = y.
Proof.
  intros l x y Ix Iy E. destruct (Z.lt_trichotomy x y) as [L|[L|L]]; [|exact L|].
  - pose proof (rank_less l x y Ix L). lia.
  - pose proof (rank_less l y x Iy L). lia.
Qed.
Lemma rank_onto : forall l r, NoDup l -> (r < length l)%nat -> exists x, In x l /\ rank x l = r.
Proof.
  intros l r N R. assert (I : incl (seq 0 (length l)) (map (fun x => rank x l) l)).
  { apply NoDup_length_incl.
    - assert (G : forall m, NoDup m -> incl m l -> NoDup (map (fun x => rank x l) m)).
      { clear N. induction 1 as [|x m Nx N IH]; intros H; simpl; constructor.
        - intros I. apply in_map_iff in I. destruct I as (y & E & Iy). apply rank_injective in E; [subst; contradiction| |]; apply H; [now right|now left].
        - apply IH. intros z Iz. apply H. now right. }
      apply G; [exact N|apply incl_refl].
    - rewrite map_length, seq_length. lia.
    - intros z I. apply in_map_iff in I. destruct I as (x & <- & Ix). apply in_seq. pose proof (rank_bound l x Ix). lia. }
  specialize (I r ltac:(apply in_seq; lia)). apply in_map_iff in I. destruct I as (x & E & Ix). exists x. auto.
Qed.

(* Why a selector `There c == e` selects exactly one key. *)
Inductive uniqueness := ByIndex | ByRank (order : expr).
Definition target_entries (e : expr) : list nat := nodup Nat.eq_dec (2%nat :: heres e).
Definition unique_ok (p : program) (f : facts) (s : expr) (u : uniqueness) : bool :=
  match s with
  | Equal (There c) e =>
    subset (theres e) [] &&
    forallb (fun q => (0 <=? value_of q [] e) && (value_of q [] e <? nth 2 q 0)) (reach f (target_entries e)) &&
    match u with
    | ByIndex => (c =? 1)%nat
    | ByRank o =>
      match count_selector p c with
      | None => false
      | Some t => base_value o && on_pairs f (pair_entries [t; o]) (fun q k =>
          if nth 1 q 0 =? nth 1 k 0 then negb (state_eqb q k) || negb (selects t q k)
          else Bool.eqb (selects t q k) (value_of [] k o <? value_of [] q o) && negb (value_of [] k o =? value_of [] q o))
      end
    end
  | _ => false
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

Definition order_of (o : expr) (s : state) : Z := value_of [] s o.
Lemma nth_map_order : forall o j, (j < n)%nat -> nth j (map (order_of o) sts) 0 = order_of o (st j).
Proof.
  intros o j H. rewrite (nth_indep _ 0 (order_of o [])) by (rewrite map_length, (states_length p word scope); exact H). apply (map_nth (order_of o)).
Qed.
Theorem one_key : forall s u i, unique_ok p f s u = true -> (i < n)%nat ->
  exists j, (j < n)%nat /\ selects s (st i) (st j) = true /\ forall j', (j' < n)%nat -> selects s (st i) (st j') = true -> j' = j.
Proof.
  intros s u i C H. unfold unique_ok in C. destruct s as [ | | | | | | a e | | | | | ]; try discriminate. destruct a as [ | |c| | | | | | | | | ]; try discriminate.
  rewrite !andb_true_iff in C. destruct C as ((C1 & C2) & C3).
  assert (V : 0 <= value_of (st i) [] e < Z.of_nat n).
  { rewrite forallb_forall in C2. specialize (C2 _ (known p f word checked tokens_in length_in i (target_entries e) H)).
    assert (E : value_of (keep (target_entries e) (st i)) [] e = value_of (st i) [] e).
    { apply value_agree; [|intros x I; reflexivity]. intros x I. apply keep_agree. apply nodup_In. now right. }
    rewrite E in C2. rewrite (keep_agree (target_entries e) (st i) 2%nat) in C2 by (apply nodup_In; now left).
    rewrite (proj2 (proj2 (state_base p word scope i H))) in C2. apply andb_true_iff in C2. destruct C2 as [A B]. apply Z.leb_le in A. apply Z.ltb_lt in B. lia. }
  assert (T : forall j, value_of (st i) (st j) e = value_of (st i) [] e).
  { intros j. apply value_agree; [intros x I; reflexivity|]. intros x I. apply (subset_In _ _ C1) in I. contradiction. }
  assert (Sel : forall j, selects (Equal (There c) e) (st i) (st j) = (nth c (st j) 0 =? value_of (st i) [] e)).
  { intros j. unfold selects. cbn [value_of]. rewrite T. destruct (nth c (st j) 0 =? value_of (st i) [] e); reflexivity. }
  set (v := value_of (st i) [] e) in *.
  destruct u as [|o].
  - apply Nat.eqb_eq in C3. subst c. exists (Z.to_nat v). split; [lia|]. split.
    + rewrite Sel, (proj1 (proj2 (state_base p word scope (Z.to_nat v) ltac:(lia)))). apply Z.eqb_eq. lia.
    + intros j' Hj' S. rewrite Sel, (proj1 (proj2 (state_base p word scope j' Hj'))) in S. apply Z.eqb_eq in S. lia.
  - destruct (count_selector p c) as [t|] eqn:W; [|discriminate]. apply andb_true_iff in C3. destruct C3 as [B C3].
    assert (WS : selectors p [c] = Some [t]) by (simpl; now rewrite W). pose proof (bases p [c] [t] WS) as BW.
    unfold base_value in B. apply andb_true_iff in B. destruct B as [B1 B2].
    assert (Bo : Forall (fun s => base_selector s = true) [t; o]).
    { constructor; [inversion BW; assumption|]. constructor; [|constructor]. apply forallb_forall. intros x I. unfold entries in I. apply in_app_or in I.
      destruct I as [I|I]; [apply (subset_In _ _ B1) in I; contradiction|]. apply mem_In. exact (subset_In _ _ B2 x I). }
    assert (Or : forall j, order_of o (keep (pair_entries [t; o]) (st j)) = order_of o (st j)).
    { intros j. apply value_agree; [intros x I; reflexivity|]. intros x I. apply keep_agree. apply nodup_In. right. apply in_flat_map. exists o.
      split; [right; now left|]. unfold entries. apply in_or_app. now right. }
    assert (P : forall a b, (a < n)%nat -> (b < n)%nat ->
      (a = b -> selects t (st a) (st b) = false) /\
      (a <> b -> selects t (st a) (st b) = (order_of o (st b) <? order_of o (st a)) /\ order_of o (st b) <> order_of o (st a))).
    { intros a b Ha Hb. pose proof (pairs_known p f word checked tokens_in length_in [t; o] _ a b Bo C3 Ha Hb) as Q. cbv beta in Q.
      rewrite !(index_pair p f word checked) in Q by assumption.
      change (value_of [] (keep (pair_entries [t; o]) (st b)) o) with (order_of o (keep (pair_entries [t; o]) (st b))) in Q.
      change (value_of [] (keep (pair_entries [t; o]) (st a)) o) with (order_of o (keep (pair_entries [t; o]) (st a))) in Q.
      rewrite !Or, !(selects_pair p word t [t; o]) in Q by (now left). split; intros E.
      - subst b. rewrite Z.eqb_refl, state_eqb_refl in Q. simpl in Q. now apply negb_true_iff in Q.
      - rewrite (proj2 (Z.eqb_neq _ _)) in Q by lia. apply andb_true_iff in Q. destruct Q as [Q1 Q2]. apply Bool.eqb_prop in Q1.
        apply negb_true_iff, Z.eqb_neq in Q2. auto. }
    set (os := map (order_of o) sts). assert (Lo : length os = n) by (unfold os; rewrite map_length; apply (states_length p word scope)).
    assert (ND : NoDup os).
    { apply (NoDup_nth os 0). intros a b Ha Hb E. rewrite Lo in Ha, Hb. unfold os in E. rewrite !nth_map_order in E by assumption.
      destruct (Nat.eq_dec a b) as [X|X]; [exact X|]. destruct (P a b Ha Hb) as [_ Q]. destruct (Q X) as [_ Q2]. congruence. }
    assert (R : forall j, (j < n)%nat -> nth c (st j) 0 = Z.of_nat (rank (order_of o (st j)) os)).
    { intros j Hj. pose proof (selectors_base p [c] [t] WS) as SB. inversion SB as [|? ? ? ? (D & E & _) _]; subst.
      rewrite (def_is p f word checked length_in c j D Hj), E. simpl. f_equal. unfold rank, os.
      assert (G : forall k, In k sts -> selects t (st j) k = (order_of o k <? order_of o (st j))).
      { intros k Ik. destruct (in_sts p f word checked k Ik) as (b & Hb & ->). destruct (P j b Hj Hb) as [Q1 Q2].
        destruct (Nat.eq_dec j b) as [X|X]; [|now apply Q2]. rewrite (Q1 X), X. symmetry. apply Z.ltb_irrefl. }
      clear -G. revert G. generalize (st j). generalize sts. intros l q G. induction l as [|k l IH]; simpl; [reflexivity|].
      rewrite (G k) by (now left). destruct (order_of o k <? order_of o q); simpl; rewrite IH; auto; intros; apply G; now right. }
    destruct (rank_onto os (Z.to_nat v) ND ltac:(rewrite Lo; lia)) as (x & Ix & Ex).
    apply (In_nth _ _ 0) in Ix. destruct Ix as (j & Hj & Nj). rewrite Lo in Hj. unfold os in Nj. rewrite nth_map_order in Nj by exact Hj. subst x.
    exists j. split; [exact Hj|]. split.
    + rewrite Sel, (R j Hj), Ex. apply Z.eqb_eq. lia.
    + intros j' Hj' S. rewrite Sel, (R j' Hj') in S. apply Z.eqb_eq in S.
      assert (I1 : In (order_of o (st j)) os) by (unfold os; apply in_map; apply (st_in p f word checked); exact Hj).
      assert (I2 : In (order_of o (st j')) os) by (unfold os; apply in_map; apply (st_in p f word checked); exact Hj').
      assert (E : order_of o (st j') = order_of o (st j)) by (apply (rank_injective os); auto; lia).
      destruct (Nat.eq_dec j' j) as [X|X]; [exact X|]. destruct (P j' j Hj' Hj) as [_ Q]. destruct (Q X) as [_ Q2]. congruence.
Qed.
End Word.
