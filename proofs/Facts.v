(* Facts about all states of a program, checked on partial states: ranges, bounds of counts, selectors with one key. *)
From Coq Require Import ZArith List Lia Bool.
From Capax Require Import Network Program States.
Import ListNotations.
Open Scope Z_scope.

(* Why a constraint holds at every position of every word. *)
Inductive reason :=
  | Index                                  (* the position is less than the length *)
  | Group (cs : list nat) (self : Z)       (* counts of disjoint selectors; `self` of them select the query itself *)
  | Limit (cs : list nat) (self top : Z)   (* the same counts, without the length: less than the greatest length plus `self` *)
  | Parts (whole : nat) (ps : list nat)    (* a count is the sum of others *)
  | Bounds (c : nat) (lo hi : Z).          (* a total is between lo and hi times the length *)
Definition sum_here (cs : list nat) : expr := fold_right (fun c e => Plus (Here c) e) (Num 0) cs.
Definition constraint (r : reason) : expr :=
  match r with
  | Index => Less (Here 1) (Here 2)
  | Group cs b => Both (Less (Num (b - 1)) (sum_here cs)) (Less (sum_here cs) (Plus (Here 2) (Num b)))
  | Limit cs b top => Both (Less (Num (b - 1)) (sum_here cs)) (Less (sum_here cs) (Num top))
  | Parts w ps => Equal (Here w) (sum_here ps)
  | Bounds c lo hi => Both (Not (Less (Here c) (Times (Num lo) (Here 2)))) (Not (Less (Times (Num hi) (Here 2)) (Here c)))
  end.
Record facts := { token_count : nat; longest : nat; ranges : list (list Z); reasons : list reason }.

(* All partial states on the entries D. *)
Fixpoint product (ls : list (list Z)) : list (list Z) :=
  match ls with [] => [[]] | l :: r => let t := product r in flat_map (fun x => map (cons x) t) l end.
Fixpoint ranges_from (n : nat) (D : list nat) (rs : list (list Z)) : list (list Z) :=
  match rs with [] => [] | r :: t => (if mem n D then r else [0]) :: ranges_from (n + 1) D t end.
Definition entries (e : expr) : list nat := heres e ++ theres e.
Definition reach_with (rs : list (list Z)) (cs : list expr) (D : list nat) : list state :=
  let cs := filter (fun e => subset (entries e) D) cs in
  filter (fun s => forallb (fun e => selects e s s) cs) (product (ranges_from 0 D rs)).
Definition reach (f : facts) (D : list nat) : list state := reach_with (ranges f) (map constraint (reasons f)) D.
Definition base_entries : list nat := [0; 1; 2]%nat.
Definition base_reach (f : facts) (D : list nat) : list state := reach_with (ranges f) [constraint Index] D.

Lemma product_in : forall s n D rs, length s = length rs ->
  (forall c, (c < length s)%nat -> mem (n + c) D = true -> In (nth c s 0) (nth c rs [])) -> In (keep_from n D s) (product (ranges_from n D rs)).
Proof.
  induction s as [|x s IH]; intros n D [|r rs] L H; simpl in *; try discriminate; [now left|].
  apply in_flat_map. exists (if mem n D then x else 0). split.
  - pose proof (H 0%nat ltac:(lia)) as H0. simpl in H0. rewrite Nat.add_0_r in H0. destruct (mem n D); [now apply H0|now left].
  - apply in_map. rewrite Nat.add_1_r. apply IH; [congruence|]. intros c Hc M. apply (H (S c)); [lia|].
    now replace (n + S c)%nat with (S n + c)%nat by lia.
Qed.
Lemma selects_keep : forall e D s, subset (entries e) D = true -> selects e (keep D s) (keep D s) = selects e s s.
Proof.
  intros e D s H. unfold selects. f_equal. apply value_agree; intros c I; apply keep_agree; apply (subset_In _ _ H); unfold entries; apply in_or_app; auto.
Qed.
Lemma reach_in : forall rs cs D s, length s = length rs -> (forall c, In c D -> (c < length s)%nat -> In (nth c s 0) (nth c rs [])) ->
  (forall e, In e cs -> subset (entries e) D = true -> selects e s s = true) -> In (keep D s) (reach_with rs cs D).
Proof.
  intros rs cs D s L R C. unfold reach_with. apply filter_In. split.
  - apply product_in; [exact L|]. intros c Hc M. apply mem_In in M. now apply R.
  - apply forallb_forall. intros e I. apply filter_In in I. destruct I as [I S]. rewrite selects_keep by exact S. now apply C.
Qed.

Definition zmem (z : Z) (l : list Z) : bool := existsb (Z.eqb z) l.
Lemma zmem_In : forall z l, zmem z l = true -> In z l.
Proof. intros z l H. unfold zmem in H. apply existsb_exists in H. destruct H as (x & I & E). apply Z.eqb_eq in E. now subst. Qed.
Definition zrange (lo hi : Z) : list Z := map (fun i => lo + Z.of_nat i) (seq 0 (Z.to_nat (hi - lo + 1))).
Lemma zrange_In : forall z lo hi, lo <= z <= hi -> In z (zrange lo hi).
Proof. intros z lo hi H. apply in_map_iff. exists (Z.to_nat (z - lo)). split; [lia|]. apply in_seq. lia. Qed.

Definition nothing : definition := Count (Num 0).
Definition definition_at (p : program) (c : nat) : definition := nth (c - 3) (definitions p) nothing.
Definition is_definition (p : program) (c : nat) : bool := (3 <=? c)%nat && (c <? 3 + length (definitions p))%nat.
(* An expression over the token, position and length of a key alone. *)
Definition base_value (v : expr) : bool := subset (heres v) [] && subset (theres v) base_entries.
Definition key_values (f : facts) (v : expr) : list Z := map (fun k => value_of [] k v) (base_reach f (theres v)).
Definition range_ok (f : facts) (r : list Z) (d : definition) : bool :=
  match d with
  | Count _ => forallb (fun z => zmem z r) (zrange 0 (Z.of_nat (longest f)))
  | Pick _ v z => base_value v && zmem z r && forallb (fun x => zmem x r) (key_values f v)
  | Total v => base_value v &&
      let vs := key_values f v in let lo := fold_right Z.min 0 vs in let hi := fold_right Z.max 0 vs in
      forallb (fun z => zmem z r) (zrange (Z.of_nat (longest f) * lo) (Z.of_nat (longest f) * hi))
  end.
Fixpoint ranges_ok (f : facts) (rs : list (list Z)) (ds : list definition) : bool :=
  match rs, ds with [], [] => true | r :: t, d :: u => range_ok f r d && ranges_ok f t u | _, _ => false end.

(* Selectors over tokens, positions and lengths, on all pairs of partial states. *)
Definition base_selector (s : expr) : bool := subset (entries s) base_entries.
Definition count_selector (p : program) (c : nat) : option expr :=
  if is_definition p c then match definition_at p c with Count s => if base_selector s then Some s else None | _ => None end else None.
Fixpoint selectors (p : program) (cs : list nat) : option (list expr) :=
  match cs with
  | [] => Some []
  | c :: r => match count_selector p c, selectors p r with Some s, Some t => Some (s :: t) | _, _ => None end
  end.
Definition hits (ss : list expr) (q k : state) : Z := fold_right (fun s n => truth (selects s q k) + n) 0 ss.
Definition pair_entries (ss : list expr) : list nat := nodup Nat.eq_dec (1%nat :: flat_map entries ss).
Definition on_pairs (f : facts) (D : list nat) (ok : state -> state -> bool) : bool :=
  let R := base_reach f D in forallb (fun q => forallb (ok q) R) R.
Fixpoint state_eqb (s t : state) : bool :=
  match s, t with [], [] => true | x :: a, y :: b => (x =? y) && state_eqb a b | _, _ => false end.
Definition group_ok (p : program) (f : facts) (cs : list nat) (b : Z) : bool :=
  match selectors p cs with
  | None => false
  | Some ss => on_pairs f (pair_entries ss) (fun q k =>
      if nth 1 q 0 =? nth 1 k 0 then negb (state_eqb q k) || (hits ss q k =? b) else hits ss q k <=? 1)
  end.
Definition reason_ok (p : program) (f : facts) (r : reason) : bool :=
  match r with
  | Index => true
  | Group cs b => group_ok p f cs b
  | Limit cs b top => group_ok p f cs b && (Z.of_nat (longest f) + b <=? top)
  | Parts w ps =>
    match count_selector p w, selectors p ps with
    | Some s, Some ss => on_pairs f (pair_entries (s :: ss)) (fun q k => truth (selects s q k) =? hits ss q k)
    | _, _ => false
    end
  | Bounds c lo hi => is_definition p c &&
      match definition_at p c with
      | Total v => base_value v && forallb (fun x => (lo <=? x) && (x <=? hi)) (key_values f v)
      | _ => false
      end
  end.
Definition contains (l : list Z) (r : list Z) : bool := forallb (fun z => zmem z r) l.
Definition facts_ok (p : program) (f : facts) : bool :=
  scoped 3 (definitions p) &&
  match ranges f with
  | t :: i :: n :: rs =>
    contains (zrange 0 (Z.of_nat (token_count f) - 1)) t && contains (zrange 0 (Z.of_nat (longest f) - 1)) i &&
    contains (zrange 1 (Z.of_nat (longest f))) n && ranges_ok f rs (definitions p)
  | _ => false
  end && forallb (reason_ok p f) (reasons f).

(* Lists. *)
Lemma sum_exchange : forall (ss : list expr) q (l : list state),
  fold_right (fun s n => Z.of_nat (length (filter (selects s q) l)) + n) 0 ss = fold_right (fun k n => hits ss q k + n) 0 l.
Proof.
  intros ss q l. induction l as [|k l IH]; simpl.
  - induction ss; simpl; lia.
  - rewrite <- IH. clear IH. induction ss as [|s ss IH]; simpl; [lia|]. unfold truth at 1. destruct (selects s q k); simpl length; lia.
Qed.
Lemma hits_pos : forall ss q k, 0 <= hits ss q k.
Proof.
  induction ss as [|s ss IH]; intros q k; [simpl; lia|]. change (hits (s :: ss) q k) with (truth (selects s q k) + hits ss q k).
  specialize (IH q k). destruct (selects s q k); simpl truth; lia.
Qed.
Lemma sum_bounds : forall (g : state -> Z) b (l : list state) i, (i < length l)%nat -> g (nth i l []) = b ->
  (forall j, (j < length l)%nat -> j <> i -> 0 <= g (nth j l []) <= 1) ->
  b <= fold_right (fun k n => g k + n) 0 l <= Z.of_nat (length l) - 1 + b.
Proof.
  intros g b l.
  assert (A : forall l, (forall j, (j < length l)%nat -> 0 <= g (nth j l []) <= 1) -> 0 <= fold_right (fun k n => g k + n) 0 l <= Z.of_nat (length l)).
  { clear l. induction l as [|k l IH]; intros H; [simpl; lia|]. pose proof (H 0%nat ltac:(simpl; lia)) as H0. cbn [nth] in H0.
    assert (HT : forall j, (j < length l)%nat -> 0 <= g (nth j l []) <= 1) by (intros j Hj; apply (H (S j)); simpl; lia).
    specialize (IH HT). cbn [fold_right length]. lia. }
  induction l as [|k l IH]; intros i Hi E H; [simpl in Hi; lia|]. destruct i as [|i].
  - cbn [nth] in E. assert (HT : forall j, (j < length l)%nat -> 0 <= g (nth j l []) <= 1) by (intros j Hj; apply (H (S j)); simpl; lia).
    specialize (A l HT). cbn [fold_right length]. lia.
  - pose proof (H 0%nat ltac:(simpl; lia) ltac:(lia)) as H0. cbn [nth] in H0, E.
    assert (HT : forall j, (j < length l)%nat -> j <> i -> 0 <= g (nth j l []) <= 1) by (intros j Hj N; apply (H (S j)); simpl; lia).
    specialize (IH i ltac:(simpl in Hi; lia) E HT). cbn [fold_right length]. lia.
Qed.
Lemma sum_of_bounds : forall (g : state -> Z) lo hi (l : list state), (forall k, In k l -> lo <= g k <= hi) ->
  lo * Z.of_nat (length l) <= sum_of (map g l) <= hi * Z.of_nat (length l).
Proof.
  intros g lo hi l. induction l as [|k l IH]; intros H; [simpl; lia|]. pose proof (H k ltac:(now left)).
  specialize (IH (fun x I => H x (or_intror I))). cbn [map length sum_of fold_right]. unfold sum_of in IH. rewrite Nat2Z.inj_succ. lia.
Qed.
Lemma state_eqb_refl : forall s, state_eqb s s = true.
Proof. induction s; simpl; auto. now rewrite Z.eqb_refl. Qed.

Lemma filter_len : forall A (g : A -> bool) l, (length (filter g l) <= length l)%nat.
Proof. induction l as [|a l IH]; simpl; [lia|]. destruct (g a); simpl; lia. Qed.

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

Lemma scope : scoped 3 (definitions p) = true.
Proof. unfold facts_ok in checked. rewrite !andb_true_iff in checked. apply checked. Qed.
Lemma reasons_checked : forall r, In r (reasons f) -> reason_ok p f r = true.
Proof. unfold facts_ok in checked. rewrite !andb_true_iff, forallb_forall in checked. intros r I. now apply (proj2 checked). Qed.
Lemma base_ranges : exists t i m rs, ranges f = t :: i :: m :: rs /\ (forall z, 0 <= z <= Z.of_nat (token_count f) - 1 -> In z t) /\
  (forall z, 0 <= z <= Z.of_nat (longest f) - 1 -> In z i) /\ (forall z, 1 <= z <= Z.of_nat (longest f) -> In z m) /\
  ranges_ok f rs (definitions p) = true.
Proof.
  unfold facts_ok in checked. rewrite !andb_true_iff in checked. destruct checked as ((_ & C) & _).
  destruct (ranges f) as [|t [|i [|m rs]]]; try discriminate. rewrite !andb_true_iff in C. destruct C as (((C1 & C2) & C3) & C4).
  exists t, i, m, rs. unfold contains in *. rewrite forallb_forall in C1, C2, C3.
  repeat split; auto; intros z H; apply zmem_In; [apply C1|apply C2|apply C3]; now apply zrange_In.
Qed.
Lemma ranges_length : forall rs ds, ranges_ok f rs ds = true -> length rs = length ds.
Proof. induction rs; intros [|d ds] H; simpl in *; try discriminate; auto. apply andb_true_iff in H. f_equal. apply IHrs, H. Qed.
Lemma width_is : forall i, (i < n)%nat -> length (st i) = length (ranges f).
Proof.
  intros i H. rewrite (state_width p word scope i H). destruct base_ranges as (t & a & m & rs & E & _ & _ & _ & R). rewrite E. simpl.
  now rewrite (ranges_length _ _ R).
Qed.
Lemma index_less : forall i, (i < n)%nat -> selects (constraint Index) (st i) (st i) = true.
Proof.
  intros i H. destruct (state_base p word scope i H) as (_ & I & L). unfold selects. simpl. rewrite I, L.
  rewrite (proj2 (Z.ltb_lt _ _)) by lia. reflexivity.
Qed.
Lemma base_known : forall i D, (i < n)%nat -> subset D base_entries = true -> In (keep D (st i)) (base_reach f D).
Proof.
  intros i D H S. destruct (state_base p word scope i H) as (T & I & L). apply reach_in; [now apply width_is| |].
  - intros c IC _. destruct base_ranges as (t & a & m & rs & E & Ht & Ha & Hm & _). rewrite E.
    pose proof (subset_In _ _ S c IC) as [<-|[<-|[<-|[]]]]; simpl nth at 2.
    + rewrite T. apply Ht. rewrite Forall_forall in tokens_in. pose proof (tokens_in (nth i word O) (nth_In _ _ H)). lia.
    + rewrite I. apply Ha. lia.
    + rewrite L. apply Hm. lia.
  - intros e [<-|[]] _. now apply index_less.
Qed.
Lemma key_value_in : forall i v q, (i < n)%nat -> base_value v = true -> In (value_of q (st i) v) (key_values f v).
Proof.
  intros i v q H B. unfold base_value in B. apply andb_true_iff in B. destruct B as [B1 B2]. unfold key_values.
  apply in_map_iff. exists (keep (theres v) (st i)). split; [|now apply base_known].
  apply value_agree; [intros c I; apply (subset_In _ _ B1) in I; contradiction|apply keep_agree].
Qed.
Lemma in_sts : forall k, In k sts -> exists j, (j < n)%nat /\ k = st j.
Proof. intros k I. apply (In_nth _ _ ([] : state)) in I. destruct I as (j & Hj & <-). exists j. rewrite (states_length p word scope) in Hj. auto. Qed.
Lemma st_in : forall j, (j < n)%nat -> In (st j) sts.
Proof. intros j H. apply nth_In. now rewrite (states_length p word scope). Qed.
Lemma def_is : forall c i, is_definition p c = true -> (i < n)%nat -> nth c (st i) 0 = defined sts (st i) (definition_at p c).
Proof.
  intros c i D H. unfold is_definition in D. apply andb_true_iff in D. destruct D as [D1 D2]. apply Nat.leb_le in D1. apply Nat.ltb_lt in D2.
  pose proof (state_definition p word scope (c - 3) i ltac:(lia) H) as E. replace (3 + (c - 3))%nat with c in E by lia. exact E.
Qed.
Lemma range_known : forall r d i, range_ok f r d = true -> (i < n)%nat -> In (defined sts (st i) d) r.
Proof.
  intros r d i C H. destruct d as [s|v|s v z]; simpl in *.
  - rewrite forallb_forall in C. apply zmem_In, C, zrange_In.
    pose proof (filter_len _ (selects s (st i)) sts) as H0.
    rewrite (states_length p word scope) in H0. lia.
  - apply andb_true_iff in C. destruct C as [B C]. set (vs := key_values f v) in *. set (lo := fold_right Z.min 0 vs) in *. set (hi := fold_right Z.max 0 vs) in *.
    assert (LH : forall x, In x vs -> lo <= x <= hi).
    { subst lo hi. clear. induction vs as [|y vs IH]; intros x I; simpl; [contradiction|]. destruct I as [->|I]; [lia|]. specialize (IH x I). lia. }
    assert (L0 : lo <= 0 <= hi) by (subst lo hi; clear; induction vs; simpl; lia).
    assert (S : lo * Z.of_nat (length sts) <= sum_of (map (fun k => value_of (st i) k v) sts) <= hi * Z.of_nat (length sts)).
    { apply sum_of_bounds. intros k I. destruct (in_sts k I) as (j & Hj & ->). apply LH. now apply key_value_in. }
    rewrite (states_length p word scope) in S. rewrite forallb_forall in C. apply zmem_In, C, zrange_In. nia.
  - rewrite !andb_true_iff in C. destruct C as ((B & Z0) & C). rewrite forallb_forall in C.
    destruct (filter (selects s (st i)) sts) as [|k [|k2 l]] eqn:E; try (now apply zmem_In).
    assert (I : In k sts) by (apply (filter_In (selects s (st i))); rewrite E; now left).
    destruct (in_sts k I) as (j & Hj & ->). apply zmem_In, C. now apply key_value_in.
Qed.
Lemma ranges_at : forall rs ds c i, ranges_ok f rs ds = true -> (c < length ds)%nat -> (i < n)%nat ->
  In (defined sts (st i) (nth c ds nothing)) (nth c rs []).
Proof.
  induction rs as [|r rs IH]; intros [|d ds] c i R K H; simpl in *; try discriminate; try lia.
  apply andb_true_iff in R. destruct R as [R1 R2]. destruct c; [now apply range_known|]. apply IH; [exact R2|lia|exact H].
Qed.
Lemma all_ranges : forall i c, (i < n)%nat -> (c < length (st i))%nat -> In (nth c (st i) 0) (nth c (ranges f) []).
Proof.
  intros i c H Hc. destruct (Nat.lt_ge_cases c 3) as [C|C].
  - assert (X : In (keep [c] (st i)) (base_reach f [c])).
    { apply base_known; [exact H|]. destruct c as [|[|[|c]]]; try reflexivity. lia. }
    destruct (state_base p word scope i H) as (T & I & L). destruct base_ranges as (t & a & m & rs & E & Ht & Ha & Hm & _). rewrite E.
    destruct c as [|[|[|c]]]; [| | |lia]; simpl nth at 2.
    + rewrite T. apply Ht. rewrite Forall_forall in tokens_in. pose proof (tokens_in (nth i word O) (nth_In _ _ H)). lia.
    + rewrite I. apply Ha. lia.
    + rewrite L. apply Hm. lia.
  - destruct base_ranges as (t & a & m & rs & E & _ & _ & _ & R). rewrite (state_width p word scope i H) in Hc.
    assert (D : is_definition p c = true) by (unfold is_definition; rewrite (proj2 (Nat.leb_le _ _)), (proj2 (Nat.ltb_lt _ _)) by lia; reflexivity).
    rewrite (def_is c i D H), E. destruct c as [|[|[|c]]]; try lia. simpl nth. unfold definition_at. replace (S (S (S c)) - 3)%nat with c by lia.
    apply ranges_at; [exact R|lia|exact H].
Qed.
Lemma selectors_base : forall cs ss, selectors p cs = Some ss -> Forall2 (fun c s => is_definition p c = true /\ definition_at p c = Count s /\ base_selector s = true) cs ss.
Proof.
  induction cs as [|c cs IH]; simpl; intros ss H; [inversion H; constructor|]. destruct (count_selector p c) as [s|] eqn:E; [|discriminate].
  destruct (selectors p cs) as [t|]; inversion H; subst. constructor; [|now apply IH]. unfold count_selector in E. destruct (is_definition p c); [|discriminate].
  destruct (definition_at p c) as [x|x|x y z]; try discriminate. destruct (base_selector x) eqn:B; inversion E; subst. auto.
Qed.
Lemma pairs_known : forall ss ok i j, Forall (fun s => base_selector s = true) ss -> on_pairs f (pair_entries ss) ok = true ->
  (i < n)%nat -> (j < n)%nat -> ok (keep (pair_entries ss) (st i)) (keep (pair_entries ss) (st j)) = true.
Proof.
  intros ss ok i j B C Hi Hj. assert (S : subset (pair_entries ss) base_entries = true).
  { apply forallb_forall. intros c I. apply nodup_In in I. destruct I as [<-|I]; [reflexivity|]. apply in_flat_map in I. destruct I as (s & Is & Ic).
    rewrite Forall_forall in B. apply B in Is. apply mem_In. exact (subset_In _ _ Is c Ic). }
  unfold on_pairs in C. rewrite forallb_forall in C. specialize (C _ (base_known i _ Hi S)). rewrite forallb_forall in C. now apply C, base_known.
Qed.
Lemma selects_pair : forall s ss i j, In s ss -> selects s (keep (pair_entries ss) (st i)) (keep (pair_entries ss) (st j)) = selects s (st i) (st j).
Proof.
  intros s ss i j I. unfold selects. f_equal. apply value_agree; intros c Ic; apply keep_agree; apply nodup_In; right; apply in_flat_map; exists s;
    (split; [exact I|unfold entries; apply in_or_app; auto]).
Qed.
Lemma hits_pair : forall ts ss i j, (forall s, In s ts -> In s ss) -> hits ts (keep (pair_entries ss) (st i)) (keep (pair_entries ss) (st j)) = hits ts (st i) (st j).
Proof.
  induction ts as [|s ts IH]; intros ss i j H; simpl; [reflexivity|]. rewrite selects_pair by (apply H; now left). f_equal. apply IH. intros. apply H. now right.
Qed.
Lemma index_pair : forall ss i, (i < n)%nat -> nth 1 (keep (pair_entries ss) (st i)) 0 = Z.of_nat i.
Proof.
  intros ss i H. rewrite (keep_agree (pair_entries ss) (st i) 1%nat) by (apply nodup_In; now left). apply (state_base p word scope i H).
Qed.
Lemma sum_here_value : forall cs q k, value_of q k (sum_here cs) = fold_right (fun c m => nth c q 0 + m) 0 cs.
Proof. induction cs; intros; simpl; [reflexivity|]. now rewrite IHcs. Qed.
Lemma counts_sum : forall cs ss i, selectors p cs = Some ss -> (i < n)%nat ->
  fold_right (fun c m => nth c (st i) 0 + m) 0 cs = fold_right (fun k m => hits ss (st i) k + m) 0 sts.
Proof.
  intros cs ss i H Hi. rewrite <- sum_exchange. apply selectors_base in H. induction H as [|c s cs ss (D & E & _) _ IH]; simpl; [reflexivity|].
  rewrite IH, (def_is c i D Hi), E. reflexivity.
Qed.
Lemma bases : forall cs ss, selectors p cs = Some ss -> Forall (fun s => base_selector s = true) ss.
Proof. intros cs ss H. apply selectors_base in H. induction H as [|c s cs ss (_ & _ & B)]; constructor; auto. Qed.
Lemma group_known : forall cs b i, group_ok p f cs b = true -> (i < n)%nat ->
  b <= fold_right (fun c m => nth c (st i) 0 + m) 0 cs <= Z.of_nat n - 1 + b.
Proof.
  intros cs b i C H. unfold group_ok in C. destruct (selectors p cs) as [ss|] eqn:E; [|discriminate]. pose proof (bases _ _ E) as B.
  rewrite (counts_sum cs ss i E H). pose proof (sum_bounds (hits ss (st i)) b sts i) as SB. rewrite (states_length p word scope) in SB. apply SB; [exact H| |].
  - pose proof (pairs_known _ _ i i B C H H) as P. cbv beta in P. rewrite Z.eqb_refl, state_eqb_refl in P. simpl in P. apply Z.eqb_eq in P.
    rewrite <- P. symmetry. apply hits_pair. auto.
  - intros j Hj N. split; [apply hits_pos|]. pose proof (pairs_known _ _ i j B C H Hj) as P. cbv beta in P.
    rewrite !index_pair in P by assumption. rewrite (proj2 (Z.eqb_neq _ _)) in P by lia. apply Z.leb_le in P. rewrite hits_pair in P by auto. exact P.
Qed.
Lemma reason_known : forall r i, In r (reasons f) -> (i < n)%nat -> selects (constraint r) (st i) (st i) = true.
Proof.
  intros r i I H. pose proof (reasons_checked r I) as C. destruct (state_base p word scope i H) as (T & Ix & L). destruct r as [|cs b|cs b top|w ps|c lo hi].
  - now apply index_less.
  - simpl in C. destruct (group_known cs b i C H) as [G1 G2]. unfold selects. cbn [constraint value_of]. rewrite !sum_here_value, L.
    rewrite !(proj2 (Z.ltb_lt _ _)) by lia. reflexivity.
  - simpl in C. apply andb_true_iff in C. destruct C as [C TP]. apply Z.leb_le in TP. destruct (group_known cs b i C H) as [G1 G2].
    unfold selects. cbn [constraint value_of]. rewrite !sum_here_value. rewrite !(proj2 (Z.ltb_lt _ _)) by lia. reflexivity.
  - simpl in C. destruct (count_selector p w) as [s|] eqn:W; [|discriminate]. destruct (selectors p ps) as [ss|] eqn:E; [|discriminate].
    assert (WS : selectors p [w] = Some [s]) by (simpl; now rewrite W).
    pose proof (bases _ _ E) as B. pose proof (bases _ _ WS) as BW.
    unfold selects. cbn [constraint value_of]. rewrite sum_here_value, (counts_sum ps ss i E H).
    pose proof (counts_sum [w] [s] i WS H) as CW. cbn [fold_right] in CW. rewrite Z.add_0_r in CW. rewrite CW.
    replace (fold_right (fun k m => hits [s] (st i) k + m) 0 sts) with (fold_right (fun k m => hits ss (st i) k + m) 0 sts); [now rewrite Z.eqb_refl|].
    assert (G : forall k, In k sts -> hits ss (st i) k = hits [s] (st i) k).
    { intros k Ik. destruct (in_sts k Ik) as (j & Hj & ->).
      pose proof (pairs_known (s :: ss) _ i j ltac:(constructor; [inversion BW; assumption|exact B]) C H Hj) as P. cbv beta in P. apply Z.eqb_eq in P.
      rewrite selects_pair in P by (now left). rewrite hits_pair in P by (intros; now right). cbn [hits fold_right]. unfold hits in *. lia. }
    clear -G. revert G. generalize (st i). generalize sts. intros l q G. induction l as [|k l IH]; simpl; [reflexivity|].
    rewrite (G k) by (now left). f_equal. apply IH. intros. apply G. now right.
  - simpl in C. apply andb_true_iff in C. destruct C as [D C]. pose proof (def_is c i D H) as V. destruct (definition_at p c) as [s|v|s v z]; try discriminate.
    apply andb_true_iff in C. destruct C as [B C]. rewrite forallb_forall in C. simpl in V.
    pose proof (sum_of_bounds (fun k => value_of (st i) k v) lo hi sts) as SB. rewrite (states_length p word scope), <- V in SB.
    assert (X : lo * Z.of_nat n <= nth c (st i) 0 <= hi * Z.of_nat n).
    { apply SB. intros k Ik. destruct (in_sts k Ik) as (j & Hj & ->). specialize (C _ (key_value_in j v (st i) Hj B)).
      apply andb_true_iff in C. destruct C as [C1 C2]. apply Z.leb_le in C1, C2. lia. }
    unfold selects. cbn [constraint value_of]. rewrite L. rewrite !(proj2 (Z.ltb_ge _ _)) by lia. reflexivity.
Qed.
(* Whatever entries one looks at, every state of the word is among those that were enumerated. *)
Theorem known : forall i D, (i < n)%nat -> In (keep D (st i)) (reach f D).
Proof.
  intros i D H. apply reach_in; [now apply width_is| |].
  - intros c _ Hc. now apply all_ranges.
  - intros e I _. apply in_map_iff in I. destruct I as (r & <- & I). now apply reason_known.
Qed.
End Word.
