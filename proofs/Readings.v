(* What three of the programs mean in plain terms, at every length: the word backwards, counts of tokens, a majority. *)
From Coq Require Import ZArith List Lia Bool.
From Capax Require Import Network Program States Heads.
Import ListNotations.
Open Scope Z_scope.

Definition reverse : program :=
  {| definitions := [Pick (Equal (There 1) (Minus (Minus (Here 2) (Here 1)) (Num 1))) (There 0) 0]; answer := Here 3 |}.
Definition histogram : program := {| definitions := [Count (Equal (There 0) (Here 0))]; answer := Here 3 |}.
Definition majority : program :=
  {| definitions := [Total (Equal (There 0) (Num 1))]; answer := Less (Times (Num 1) (Here 2)) (Times (Num 2) (Here 3)) |}.

Lemma by_position : forall p word (l : list Z), scoped 3 (definitions p) = true -> length l = length word ->
  (forall i, (i < length word)%nat -> value_of (nth i (states p word) []) (nth i (states p word) []) (answer p) = nth i l 0) -> computes p word = l.
Proof.
  intros p word l S L H. unfold computes. apply nth_ext with (d := value_of [] [] (answer p)) (d' := 0).
  - rewrite map_length, (states_length p word S). now symmetry.
  - intros i Hi. rewrite map_length, (states_length p word S) in Hi. rewrite (map_nth (fun q => value_of q q (answer p)) (states p word) []). now apply H.
Qed.
Lemma selects_equal : forall a b q k, selects (Equal a b) q k = (value_of q k a =? value_of q k b).
Proof. intros. unfold selects. cbn [value_of]. destruct (value_of q k a =? value_of q k b); reflexivity. Qed.
Lemma nth_of_nat : forall l i, nth i (map Z.of_nat l) 0 = Z.of_nat (nth i l O).
Proof. intros. apply (map_nth Z.of_nat l O). Qed.

Theorem reverse_is_rev : forall word, computes reverse word = map Z.of_nat (rev word).
Proof.
  intros word. apply by_position; [reflexivity|now rewrite map_length, rev_length|]. intros i Hi. rewrite nth_of_nat, rev_nth by exact Hi.
  set (p := reverse). assert (S : scoped 3 (definitions p) = true) by reflexivity. cbn [value_of answer reverse p].
  pose proof (state_definition p word S 0 i ltac:(simpl; lia) Hi) as D. change (3 + 0)%nat with 3%nat in D. fold p. rewrite D. cbn [nth definitions p reverse defined].
  set (j := (length word - Datatypes.S i)%nat). assert (Hj : (j < length word)%nat) by (unfold j; lia).
  destruct (state_base p word S i Hi) as (_ & Ii & Li). fold p.
  assert (G : forall k, (k < length word)%nat -> selects (Equal (There 1) (Minus (Minus (Here 2) (Here 1)) (Num 1))) (nth i (states p word) []) (nth k (states p word) []) = (k =? j)%nat).
  { intros k Hk. rewrite selects_equal. cbn [value_of]. rewrite Ii, Li. destruct (state_base p word S k Hk) as (_ & Ik & _). rewrite Ik.
    destruct (Nat.eqb_spec k j) as [E|E]; [apply Z.eqb_eq|apply Z.eqb_neq]; unfold j in *; lia. }
  rewrite (filter_single _ _ (states p word) [] j).
  - cbn [value_of]. apply (state_base p word S j Hj).
  - rewrite (states_length p word S). exact Hj.
  - rewrite G by exact Hj. apply Nat.eqb_refl.
  - rewrite (states_length p word S). intros k Hk Sk. rewrite G in Sk by exact Hk. now apply Nat.eqb_eq.
Qed.

Lemma count_filter : forall word t, count_occ Nat.eq_dec word t = length (filter (fun x => (x =? t)%nat) word).
Proof.
  induction word as [|x word IH]; intros t; simpl; [reflexivity|]. destruct (Nat.eq_dec x t) as [E|E].
  - subst. rewrite Nat.eqb_refl. simpl. now rewrite IH.
  - rewrite (proj2 (Nat.eqb_neq x t) E). apply IH.
Qed.
Lemma filter_ext_len : forall (g h : nat -> bool) l, (forall x, In x l -> g x = h x) -> length (filter g l) = length (filter h l).
Proof. induction l as [|x l IH]; intros H; simpl; [reflexivity|]. rewrite (H x) by (now left). destruct (h x); simpl; rewrite IH; auto; intros; apply H; now right. Qed.

Theorem histogram_counts : forall word, computes histogram word = map (fun t => Z.of_nat (count_occ Nat.eq_dec word t)) word.
Proof.
  intros word. apply by_position; [reflexivity|apply map_length|]. intros i Hi.
  rewrite (nth_indep _ 0 (Z.of_nat (count_occ Nat.eq_dec word O))) by (rewrite map_length; exact Hi). rewrite (map_nth (fun t => Z.of_nat (count_occ Nat.eq_dec word t))).
  set (p := histogram). assert (S : scoped 3 (definitions p) = true) by reflexivity. cbn [value_of answer histogram p]. fold p.
  pose proof (state_definition p word S 0 i ltac:(simpl; lia) Hi) as D. change (3 + 0)%nat with 3%nat in D. rewrite D. cbn [nth definitions p histogram defined]. fold p. f_equal.
  rewrite count_filter, <- (filter_seq_len _ _ (states p word) []), <- (filter_seq_len _ _ word O), (states_length p word S). apply filter_ext_len.
  intros k Ik. apply in_seq in Ik. rewrite selects_equal. cbn [value_of]. destruct (state_base p word S i Hi) as (Ti & _). destruct (state_base p word S k ltac:(lia)) as (Tk & _). rewrite Ti, Tk.
  destruct (Nat.eqb_spec (nth k word O) (nth i word O)) as [E|E]; [apply Z.eqb_eq|apply Z.eqb_neq]; lia.
Qed.

Lemma states_tokens : forall p word k, scoped 3 (definitions p) = true -> In k (states p word) -> exists j, (j < length word)%nat /\ k = nth j (states p word) [].
Proof. intros p word k S I. apply (In_nth _ _ []) in I. destruct I as (j & Hj & <-). exists j. rewrite (states_length p word S) in Hj. auto. Qed.
Lemma sum_truth : forall (g : list Z -> bool) l, sum_of (map (fun k => truth (g k)) l) = Z.of_nat (length (filter g l)).
Proof. induction l as [|k l IH]; [reflexivity|]. cbn [map sum_of fold_right filter]. unfold sum_of in IH. rewrite IH. destruct (g k); cbn [length truth]; lia. Qed.
(* The answer is 1 where more than half of the tokens are token 1. *)
Theorem majority_counts : forall word, computes majority word =
  map (fun _ => truth (Z.of_nat (length word) <? 2 * Z.of_nat (count_occ Nat.eq_dec word 1%nat))) word.
Proof.
  intros word. apply by_position; [reflexivity|apply map_length|]. intros i Hi.
  set (b := truth (Z.of_nat (length word) <? 2 * Z.of_nat (count_occ Nat.eq_dec word 1%nat))).
  rewrite (nth_indep _ 0 b) by (rewrite map_length; exact Hi). rewrite (map_nth (fun _ : nat => b) word O).
  set (p := majority). assert (S : scoped 3 (definitions p) = true) by reflexivity. cbn [value_of answer majority p]. fold p.
  pose proof (state_definition p word S 0 i ltac:(simpl; lia) Hi) as D. change (3 + 0)%nat with 3%nat in D. rewrite D. cbn [nth definitions p majority defined]. fold p.
  destruct (state_base p word S i Hi) as (_ & _ & L). rewrite L. cbn [value_of]. rewrite (sum_truth (fun k => nth 0 k 0 =? 1)).
  assert (E : length (filter (fun k : list Z => nth 0 k 0 =? 1) (states p word)) = count_occ Nat.eq_dec word 1%nat).
  { rewrite count_filter, <- (filter_seq_len _ _ (states p word) []), <- (filter_seq_len _ _ word O), (states_length p word S). apply filter_ext_len.
    intros k Ik. apply in_seq in Ik. destruct (state_base p word S k ltac:(lia)) as (Tk & _). rewrite Tk.
    destruct (Nat.eqb_spec (nth k word O) 1%nat) as [E|E]; [apply Z.eqb_eq|apply Z.eqb_neq]; lia. }
  rewrite E. unfold b. now rewrite Z.mul_1_l.
Qed.
