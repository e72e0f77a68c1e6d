(* What is known of the states of a program on every word: ranges, constraints between entries, keys that are unique. *)
From Coq Require Import ZArith List Lia Bool Permutation.
From Capax Require Import Network Program.
Import ListNotations.
Open Scope Z_scope.

(* The entries that an expression reads. *)
Fixpoint heres (e : expr) : list nat :=
  match e with
  | Num _ | There _ => []
  | Here c => [c]
  | Plus a b | Minus a b | Times a b | Equal a b | Less a b | Both a b | Either a b => heres a ++ heres b
  | Not a => heres a
  | Choose c a b => heres c ++ heres a ++ heres b
  end.
Fixpoint theres (e : expr) : list nat :=
  match e with
  | Num _ | Here _ => []
  | There c => [c]
  | Plus a b | Minus a b | Times a b | Equal a b | Less a b | Both a b | Either a b => theres a ++ theres b
  | Not a => theres a
  | Choose c a b => theres c ++ theres a ++ theres b
  end.
Definition agree (D : list nat) (s t : state) : Prop := forall c, In c D -> nth c s 0 = nth c t 0.
Lemma agree_app : forall D E s t, agree (D ++ E) s t -> agree D s t /\ agree E s t.
Proof. intros D E s t H. split; intros c I; apply H; apply in_or_app; auto. Qed.
Lemma value_agree : forall e q k q' k', agree (heres e) q q' -> agree (theres e) k k' -> value_of q k e = value_of q' k' e.
Proof.
  induction e; intros q k q' k' H T; simpl in *;
    repeat match goal with A : agree (_ ++ _) _ _ |- _ => apply agree_app in A; destruct A end;
    try (rewrite (IHe1 q k q' k'), (IHe2 q k q' k') by assumption; reflexivity).
  - reflexivity.
  - apply H. now left.
  - apply T. now left.
  - rewrite (IHe q k q' k') by assumption. reflexivity.
  - rewrite (IHe1 q k q' k'), (IHe2 q k q' k'), (IHe3 q k q' k') by assumption. reflexivity.
Qed.

(* Partial states: the entries of D, and 0 elsewhere. *)
Definition mem (c : nat) (D : list nat) : bool := existsb (Nat.eqb c) D.
Lemma mem_In : forall c D, mem c D = true <-> In c D.
Proof.
  intros c D. unfold mem. rewrite existsb_exists. split.
  - intros (x & I & E). apply Nat.eqb_eq in E. now subst.
  - intros I. exists c. split; [exact I|apply Nat.eqb_refl].
Qed.
Definition subset (A B : list nat) : bool := forallb (fun c => mem c B) A.
Lemma subset_In : forall A B, subset A B = true -> forall c, In c A -> In c B.
Proof. intros A B H c I. unfold subset in H. rewrite forallb_forall in H. now apply mem_In, H. Qed.
Fixpoint keep_from (n : nat) (D : list nat) (s : state) : state :=
  match s with [] => [] | x :: r => (if mem n D then x else 0) :: keep_from (S n) D r end.
Definition keep (D : list nat) (s : state) : state := keep_from 0 D s.
Lemma keep_from_nth : forall s n D c, nth c (keep_from n D s) 0 = if mem (n + c) D then nth c s 0 else 0.
Proof.
  induction s as [|x s IH]; intros n D c; simpl; [destruct c; destruct (mem _ D); reflexivity|].
  destruct c; simpl; [now rewrite Nat.add_0_r|]. rewrite IH. now replace (S n + c)%nat with (n + S c)%nat by lia.
Qed.
Lemma keep_agree : forall D s, agree D (keep D s) s.
Proof. intros D s c I. unfold keep. rewrite keep_from_nth. simpl. apply mem_In in I. now rewrite I. Qed.
Lemma keep_from_length : forall s n D, length (keep_from n D s) = length s.
Proof. induction s; intros; simpl; auto. Qed.
Lemma keep_keep : forall E D s, subset E D = true -> keep E (keep D s) = keep E s.
Proof.
  intros E D s H. apply nth_ext with (d := 0) (d' := 0).
  - unfold keep. now rewrite !keep_from_length.
  - intros c _. unfold keep. rewrite !keep_from_nth. simpl. destruct (mem c E) eqn:M; [|reflexivity].
    apply mem_In in M. apply (subset_In _ _ H), mem_In in M. now rewrite M.
Qed.

(* Every definition of a program, at the end of its run. *)
Definition reads (d : definition) : list nat :=
  match d with Count s => heres s ++ theres s | Total v => heres v ++ theres v | Pick s v _ => heres s ++ theres s ++ heres v ++ theres v end.
Fixpoint scoped (n : nat) (ds : list definition) : bool :=
  match ds with [] => true | d :: r => forallb (fun c => (c <? n)%nat) (reads d) && scoped (n + 1) r end.
Definition below (n : nat) (s t : state) : Prop := forall c, (c < n)%nat -> nth c s 0 = nth c t 0.
Lemma filter_below : forall n (f g : state -> bool) S T, (forall k k', below n k k' -> f k = g k') -> Forall2 (below n) S T ->
  Forall2 (below n) (filter f S) (filter g T).
Proof. intros n f g S T H. induction 1 as [|k k' S T B _ IH]; simpl; [constructor|]. rewrite (H k k' B). destruct (g k'); auto. Qed.
Lemma Forall2_len : forall A B (R : A -> B -> Prop) l l', Forall2 R l l' -> length l = length l'.
Proof. induction 1; simpl; congruence. Qed.
Lemma Forall2_at : forall A B (R : A -> B -> Prop) l l' a b i, Forall2 R l l' -> (i < length l)%nat -> R (nth i l a) (nth i l' b).
Proof. intros A B R l l' a b i H. revert i. induction H; intros [|i] Hi; simpl in *; auto; try lia. apply IHForall2. lia. Qed.
Lemma below_agree : forall n s t D, below n s t -> forallb (fun c => (c <? n)%nat) D = true -> agree D s t.
Proof. intros n s t D B F c I. rewrite forallb_forall in F. apply B, Nat.ltb_lt, F, I. Qed.
Lemma defined_below : forall n S T q q' d, forallb (fun c => (c <? n)%nat) (reads d) = true -> Forall2 (below n) S T -> below n q q' ->
  defined S q d = defined T q' d.
Proof.
  intros n S T q q' d F H B. assert (V : forall e, (forall c, In c (heres e ++ theres e) -> In c (reads d)) ->
    forall k k', below n k k' -> value_of q k e = value_of q' k' e).
  { intros e I k k' Bk. rewrite forallb_forall in F.
    apply value_agree; intros c Ic; [apply B|apply Bk]; apply Nat.ltb_lt, F, I, in_or_app; auto. }
  destruct d as [s|v|s v z]; simpl in *.
  - f_equal. eapply Forall2_len. apply (filter_below n); [|exact H]. intros. unfold selects. now rewrite (V s (fun c I => I) k k').
  - f_equal. induction H as [|k k' S T Bk _ IH]; simpl; [reflexivity|]. rewrite IH. now rewrite (V v (fun c I => I) k k').
  - assert (R : Forall2 (below n) (filter (selects s q) S) (filter (selects s q') T)).
    { apply filter_below; [|exact H]. intros. unfold selects. rewrite (V s) with (k' := k'); auto.
      intros c I. rewrite app_assoc. apply in_or_app. now left. }
    destruct R as [|k k' l l' Bk R]; [reflexivity|]. destruct R; [|reflexivity]. apply V; [|exact Bk].
    intros c I. rewrite app_assoc. apply in_or_app. now right.
Qed.
Lemma below_refl : forall n l, Forall2 (below n) l l.
Proof. induction l; constructor; auto. intros c _. reflexivity. Qed.
Lemma below_trans : forall n m A B C, (n <= m)%nat -> Forall2 (below n) A B -> Forall2 (below m) B C -> Forall2 (below n) A C.
Proof.
  intros n m A B C L H. revert C. induction H as [|a b A B Hab _ IH]; intros C HC; inversion HC as [|? c ? C' Hbc HC']; subst; constructor; auto.
  intros x Hx. rewrite (Hab x Hx). apply Hbc. lia.
Qed.
Lemma extend_below : forall n S d, Forall (fun s => length s = n) S -> Forall2 (below n) S (extend S d).
Proof.
  intros n S d H. unfold extend. generalize S at 2. induction H as [|s S L _ IH]; intros S0; simpl; constructor; auto.
  intros c Hc. rewrite app_nth1 by lia. reflexivity.
Qed.
Lemma run_below : forall ds n W, Forall (fun s => length s = n) W -> scoped n ds = true ->
  Forall2 (below n) W (fold_left extend ds W) /\ Forall (fun s => length s = (n + length ds)%nat) (fold_left extend ds W) /\
  forall k i, (k < length ds)%nat -> (i < length W)%nat ->
    nth (n + k) (nth i (fold_left extend ds W) []) 0 = defined (fold_left extend ds W) (nth i (fold_left extend ds W) []) (nth k ds (Count (Num 0))).
Proof.
  induction ds as [|d ds IH]; intros n W L C; simpl.
  - split; [apply below_refl|]. split; [eapply Forall_impl; [|exact L]; simpl; intros; lia|]. intros; lia.
  - simpl in C. apply andb_true_iff in C. destruct C as [C1 C2].
    assert (L1 : Forall (fun s => length s = (n + 1)%nat) (extend W d)).
    { unfold extend. rewrite Forall_map. eapply Forall_impl; [|exact L]. cbv beta. intros s Hs. rewrite app_length. simpl. lia. }
    destruct (IH (n + 1)%nat (extend W d) L1 C2) as (B & L2 & V). pose proof (extend_below n W d L) as B0.
    set (R := fold_left extend ds (extend W d)) in *.
    assert (BR : Forall2 (below n) W R) by (eapply below_trans; [|exact B0|exact B]; lia).
    split; [exact BR|]. split; [eapply Forall_impl; [|exact L2]; cbv beta; intros; lia|].
    intros k i Hk Hi. assert (Len : length (extend W d) = length W) by (unfold extend; apply map_length).
    destruct k as [|k].
    + rewrite Nat.add_0_r. assert (X : nth n (nth i R []) 0 = nth n (nth i (extend W d) []) 0).
      { symmetry. assert (Z : below (n + 1)%nat (nth i (extend W d) []) (nth i R [])).
        { apply Forall2_at; [exact B|]. rewrite Len. exact Hi. }
        apply Z. lia. }
      rewrite X. clear X. unfold extend at 1. rewrite (nth_indep _ [] ([] ++ [defined W [] d])) by (rewrite map_length; exact Hi).
      rewrite (map_nth (fun q => q ++ [defined W q d])).
      assert (Ln : length (nth i W []) = n) by (rewrite Forall_forall in L; apply L, nth_In, Hi).
      rewrite app_nth2 by lia. rewrite Ln, Nat.sub_diag. simpl. apply (defined_below n); [exact C1|exact BR|].
      apply Forall2_at; [exact BR|exact Hi].
    + replace (n + S k)%nat with (n + 1 + k)%nat by lia. apply V; [simpl in Hk; lia|exact (eq_ind_r (fun m => (i < m)%nat) Hi Len)].
Qed.

Section Word.
Variable p : program.
Variable word : list nat.
Hypothesis in_scope : scoped 3 (definitions p) = true.
Notation n := (length word).
Notation S := (states p word).

Lemma start_length : Forall (fun s => length s = 3%nat) (start word).
Proof. unfold start. rewrite Forall_map. apply Forall_forall. intros. reflexivity. Qed.
Lemma start_nth : forall i, (i < n)%nat -> nth i (start word) [] = [Z.of_nat (nth i word O); Z.of_nat i; Z.of_nat n].
Proof.
  intros i H. unfold start.
  rewrite (nth_indep _ [] ((fun x : nat * nat => [Z.of_nat (snd x); Z.of_nat (fst x); Z.of_nat n]) (O, O)))
    by (rewrite map_length, combine_length, seq_length; lia).
  rewrite (map_nth (fun x : nat * nat => [Z.of_nat (snd x); Z.of_nat (fst x); Z.of_nat n])).
  rewrite combine_nth by apply seq_length. rewrite seq_nth by exact H. reflexivity.
Qed.
Lemma states_length : length S = n.
Proof.
  unfold states. destruct (run_below (definitions p) 3 (start word) start_length in_scope) as (B & _).
  apply Forall2_len in B. rewrite <- B. unfold start. rewrite map_length, combine_length, seq_length. lia.
Qed.
Lemma state_width : forall i, (i < n)%nat -> length (nth i S []) = (3 + length (definitions p))%nat.
Proof.
  intros i H. destruct (run_below (definitions p) 3 (start word) start_length in_scope) as (_ & L & _). rewrite Forall_forall in L. apply L.
  apply nth_In. fold S. now rewrite states_length.
Qed.
Lemma state_base : forall i, (i < n)%nat -> nth 0 (nth i S []) 0 = Z.of_nat (nth i word O) /\ nth 1 (nth i S []) 0 = Z.of_nat i /\
  nth 2 (nth i S []) 0 = Z.of_nat n.
Proof.
  intros i H. destruct (run_below (definitions p) 3 (start word) start_length in_scope) as (B & _).
  assert (Z : below 3 (nth i (start word) []) (nth i S [])).
  { unfold states. assert (Hi : (i < length (start word))%nat) by (unfold start; rewrite map_length, combine_length, seq_length; lia).
    apply Forall2_at; [exact B|exact Hi]. }
  rewrite start_nth in Z by exact H. rewrite <- (Z 0%nat), <- (Z 1%nat), <- (Z 2%nat) by lia. auto.
Qed.
Lemma state_definition : forall k i, (k < length (definitions p))%nat -> (i < n)%nat ->
  nth (3 + k) (nth i S []) 0 = defined S (nth i S []) (nth k (definitions p) (Count (Num 0))).
Proof.
  intros k i Hk Hi. destruct (run_below (definitions p) 3 (start word) start_length in_scope) as (_ & _ & V). apply V; [exact Hk|].
  unfold start. rewrite map_length, combine_length, seq_length. lia.
Qed.
End Word.
