(* The numbers of every word at once: slots of the stream as tables over the entries of a state that they depend on. *)
From Coq Require Import ZArith Reals List Lia Lra Bool.
From Flocq Require Import Core BinarySingleNaN.
From Capax Require Import Binary32 Sums Softmax Network Program Intervals Words States Facts Unique.
Import ListNotations.
Open Scope Z_scope.

Record slot := { deps : list nat; cells : list (state * itv) }.
Fixpoint assoc (s : state) (l : list (state * itv)) : option itv :=
  match l with [] => None | (t, i) :: r => if state_eqb s t then Some i else assoc s r end.
Definition look (a : slot) (s : state) : option itv := assoc (keep (deps a) s) (cells a).
Definition make_slot (f : facts) (D : list nat) (g : state -> option itv) : option slot :=
  match every (fun p => match g p with None => None | Some i => Some (p, i) end) (reach f D) with
  | None => None
  | Some c => Some {| deps := D; cells := c |}
  end.
Definition is_zero (w : itv) : bool := (fst w =? 0) && (snd w =? 0).
Definition read_slot (a : slot) (w : itv) (p : state) : option itv :=
  if is_zero w then Some zero_itv else match look a p with None => None | Some i => Some (imul i w) end.
Definition used (hs : list slot) (ws : list itv) : list nat :=
  flat_map (fun x => if is_zero (snd x) then [] else deps (fst x)) (combine hs ws).
Definition linear_slot (f : facts) (x b : slot) (hs : list slot) (ws : list itv) : option slot :=
  make_slot f (nodup Nat.eq_dec (deps x ++ deps b ++ used hs ws)) (fun p =>
    match look x p, look b p, every (fun y => read_slot (fst y) (snd y) p) (combine hs ws) with
    | Some i, Some j, Some l => total (wide i :: wide j :: l)
    | _, _, _ => None
    end).
Definition const_slot (f : facts) (i : itv) : option slot := make_slot f [] (fun _ => Some i).
Definition adds_slots (f : facts) (ps : prepared) (hs xs : list slot) : option (list slot) :=
  every (fun p => match const_slot f (snd (snd p)) with None => None | Some b => linear_slot f (fst p) b hs (fst (snd p)) end) (combine xs ps).
Definition maps_slots (f : facts) (ps : prepared) (hs : list slot) : option (list slot) :=
  match const_slot f zero_itv with None => None | Some z => adds_slots f ps hs (repeat z (length ps)) end.
Definition relu_slot (a : slot) : slot := {| deps := deps a; cells := map (fun c => (fst c, relu_itv (snd c))) (cells a) |}.
Fixpoint hidden_slots (f : facts) (ps : list prepared) (xs : list slot) : option (list slot) :=
  match ps with [] => Some xs | p :: r => match maps_slots f p xs with None => None | Some y => hidden_slots f r (map relu_slot y) end end.
Definition mlp_slots (f : facts) (p : prepared_mlp) (xs : list slot) : option (list slot) :=
  match p with
  | None => Some xs
  | Some (ps, last) => match hidden_slots f ps xs with None => None | Some h => adds_slots f last h xs end
  end.

Lemma state_eqb_eq : forall s t, state_eqb s t = true -> s = t.
Proof. induction s as [|x s IH]; intros [|y t] H; simpl in *; try discriminate; auto. apply andb_true_iff in H. destruct H as [H1 H2]. apply Z.eqb_eq in H1. f_equal; auto. Qed.
Lemma subset_of : forall A B, (forall c, In c A -> In c B) -> subset A B = true.
Proof. intros A B H. apply forallb_forall. intros c I. apply mem_In. auto. Qed.
Lemma look_keep : forall a D s, (forall c, In c (deps a) -> In c D) -> look a (keep D s) = look a s.
Proof. intros a D s H. unfold look. rewrite keep_keep; [reflexivity|]. now apply subset_of. Qed.

Section State.
Variable f : facts.
Variable s : state.
Hypothesis everywhere : forall D, In (keep D s) (reach f D).
Definition slot_holds (a : slot) (x : f32) : Prop := exists i, look a s = Some i /\ holds i x.

Lemma make_slot_look : forall D g a, make_slot f D g = Some a -> deps a = D /\ exists i, look a s = Some i /\ g (keep D s) = Some i.
Proof.
  intros D g a H. unfold make_slot in H. destruct (every _ (reach f D)) as [c|] eqn:E; [|discriminate]. apply some_injective in H. subst a. simpl.
  split; [reflexivity|]. unfold look. cbn [deps cells]. apply every_sound in E. pose proof (everywhere D) as I. generalize dependent (keep D s). intros t I.
  clear everywhere. revert I. induction E as [|q x l c Hx _ IH]; intros I; [contradiction|]. simpl.
  destruct (g q) as [i|] eqn:G; [|discriminate]. apply some_injective in Hx. subst x. destruct (state_eqb t q) eqn:Eq.
  - apply state_eqb_eq in Eq. subst q. exists i. auto.
  - destruct I as [->|I]; [rewrite state_eqb_refl in Eq; discriminate|]. now apply IH.
Qed.
Lemma const_slot_holds : forall i a x, const_slot f i = Some a -> holds i x -> slot_holds a x.
Proof. intros i a x H X. destruct (make_slot_look _ _ _ H) as (_ & j & L & G). apply some_injective in G. subst j. exists i. auto. Qed.
Lemma read_sound : forall D hs hv ws wv l, Forall2 slot_holds hs hv -> Forall2 holds ws wv -> (forall c, In c (used hs ws) -> In c D) ->
  every (fun y => read_slot (fst y) (snd y) (keep D s)) (combine hs ws) = Some l -> Forall2 tholds l (products hv wv).
Proof.
  intros D hs hv ws wv l H. revert ws wv l. induction H as [|a x hs hv (i & La & Ha) H IH]; intros ws wv l W U E.
  - simpl in E. apply some_injective in E. subst l. constructor.
  - destruct W as [|w y ws wv Hw W]; [simpl in E; apply some_injective in E; subst l; constructor|].
    cbn [combine every fst snd] in E. unfold used in U. cbn [combine flat_map fst snd] in U.
    destruct (read_slot a w (keep D s)) as [t|] eqn:R; [|discriminate]. destruct (every _ (combine hs ws)) as [r|] eqn:ER; [|discriminate].
    apply some_injective in E. subst l. unfold products. cbn [combine map fst snd]. constructor.
    + unfold read_slot in R. destruct (is_zero w) eqn:Z0.
      * apply some_injective in R. subst t. unfold is_zero in Z0. apply andb_true_iff in Z0. destruct Z0 as [Z1 Z2]. apply Z.eqb_eq in Z1, Z2.
        destruct Hw as (Fy & L & G). rewrite Z1 in L. rewrite Z2 in G. destruct Ha as (Fx & _). split; [split; assumption|]. cbn [tval zero_itv fst snd].
        assert (Y : val y = 0%R) by lra. rewrite Y. lra.
      * rewrite look_keep in R by (intros c I; apply U, in_or_app; now left). rewrite La in R. apply some_injective in R. subst t. now apply imul_sound.
    + apply (IH ws wv r W); [|exact ER]. intros c I. apply U, in_or_app. now right.
Qed.
Lemma linear_slot_sound : forall x b hs ws a xv bv hv wv r, linear_slot f x b hs ws = Some a -> slot_holds x xv -> slot_holds b bv ->
  Forall2 slot_holds hs hv -> Forall2 holds ws wv -> linear xv bv hv wv r -> slot_holds a r.
Proof.
  intros x b hs ws a xv bv hv wv r C (i & Li & Hi) (j & Lj & Hj) HH HW R. unfold linear_slot in C. destruct (make_slot_look _ _ _ C) as (_ & k & Lk & G).
  set (D := nodup Nat.eq_dec (deps x ++ deps b ++ used hs ws)) in *.
  rewrite (look_keep x) in G by (intros c I; apply nodup_In, in_or_app; now left).
  rewrite (look_keep b) in G by (intros c I; apply nodup_In, in_or_app; right; apply in_or_app; now left).
  rewrite Li, Lj in G. destruct (every _ (combine hs ws)) as [l|] eqn:E; [|discriminate]. exists k. split; [exact Lk|].
  eapply total_sound; [|exact G|exact R]. constructor; [now apply wide_sound|]. constructor; [now apply wide_sound|].
  eapply read_sound; [exact HH|exact HW| |exact E]. intros c I. apply nodup_In, in_or_app. right. apply in_or_app. now right.
Qed.
Lemma adds_slots_sound : forall ps m hs h xs x y ys, represents ps m -> Forall2 slot_holds hs h -> Forall2 slot_holds xs x ->
  adds_slots f ps hs xs = Some ys -> adds m h x y -> Forall2 slot_holds ys y.
Proof.
  intros ps m hs h xs x y ys R H X C A. apply every_sound in C. unfold adds in A. unfold represents in R.
  revert xs x y ys X C A. induction R as [|p q ps l (W & B) R IH]; intros xs x y ys X C A.
  - rewrite combine_nil in *. inversion C; subst. inversion A; subst. constructor.
  - destruct X as [|a z xs x Hz X].
    + simpl in *. inversion C; subst. inversion A; subst. constructor.
    + cbn [combine] in *. inversion C as [|? b ? bs Cb Cs]; subst. inversion A as [|? r ? rs Ar As]; subst. constructor; [|eapply IH; eauto].
      cbn [fst snd] in *. destruct (const_slot f (snd p)) as [k|] eqn:K; [|discriminate].
      eapply linear_slot_sound; [exact Cb|exact Hz|eapply const_slot_holds; [exact K|exact B]|exact H|exact W|exact Ar].
Qed.
Lemma maps_slots_sound : forall ps m hs h y ys, represents ps m -> Forall2 slot_holds hs h -> maps_slots f ps hs = Some ys -> maps m h y -> Forall2 slot_holds ys y.
Proof.
  intros ps m hs h y ys R H C A. unfold maps_slots in C. destruct (const_slot f zero_itv) as [z|] eqn:K; [|discriminate].
  eapply adds_slots_sound; [exact R|exact H| |exact C|apply maps_adds; eassumption].
  generalize (length ps). induction n; simpl; constructor; auto. eapply const_slot_holds; [exact K|apply zero_holds].
Qed.
Lemma relu_slot_sound : forall a x, slot_holds a x -> slot_holds (relu_slot a) (relu x).
Proof.
  intros a x (i & L & H). exists (relu_itv i). split; [|now apply relu_sound]. unfold look in *. cbn [deps cells relu_slot]. revert L. generalize (keep (deps a) s).
  intros t. induction (cells a) as [|[q j] l IH]; simpl; [discriminate|]. destruct (state_eqb t q); [congruence|exact IH].
Qed.
Lemma relus_slots_sound : forall xs x, Forall2 slot_holds xs x -> Forall2 slot_holds (map relu_slot xs) (map relu x).
Proof. induction 1; simpl; constructor; auto. now apply relu_slot_sound. Qed.
Lemma hidden_slots_sound : forall ps ms, Forall2 represents ps ms -> forall xs x h hs, Forall2 slot_holds xs x -> hidden_slots f ps xs = Some hs ->
  hidden ms x h -> Forall2 slot_holds hs h.
Proof.
  induction 1 as [|p m ps ms R _ IH]; simpl; intros xs x h hs X C A; [apply some_injective in C; subst; exact X|].
  destruct (maps_slots f p xs) eqn:E; [|discriminate]. destruct A as (y & My & A). eapply IH; [|exact C|exact A]. apply relus_slots_sound. eapply maps_slots_sound; eauto.
Qed.
Lemma mlp_slots_sound : forall p m xs x y ys, represents_mlp p m -> Forall2 slot_holds xs x -> mlp_slots f p xs = Some ys -> after_mlp m x y -> Forall2 slot_holds ys y.
Proof.
  intros [[ps last]|] [[ms l]|] xs x y ys R X C A; simpl in *; try contradiction.
  - destruct R as [R1 R2]. destruct (hidden_slots f ps xs) as [hs|] eqn:E; [|discriminate]. destruct A as (h & Hh & A).
    exact (adds_slots_sound _ _ _ _ _ _ _ _ R2 (hidden_slots_sound _ _ R1 _ _ _ _ X E Hh) X C A).
  - apply some_injective in C. subst. exact X.
Qed.
End State.

(* The stream before the first layer. *)
Definition token_slot (f : facts) (col : list itv) : option slot :=
  if forallb (fun i => (fst i =? fst (hd zero_itv col)) && (snd i =? snd (hd zero_itv col))) col && (token_count f <=? length col)%nat
  then const_slot f (hd zero_itv col)
  else make_slot f [0%nat] (fun p => nth_error col (Z.to_nat (nth 0 p 0))).
Definition table_slot (f : facts) (m : model) (c : nat) : option slot :=
  match table m with
  | [] => const_slot f zero_itv
  | _ => make_slot f [1%nat] (fun p => weight (nth c (bias (position_map m (Z.to_nat (nth 1 p 0)))) (0, 0)))
  end.
Definition feature_slot (f : facts) (x : feature) : option slot := make_slot f [1%nat] (fun p => feature_itv (Z.to_nat (nth 1 p 0)) x).
Definition embedded_slots (f : facts) (m : model) : option (list slot) :=
  match every weights (embedding m), every (feature_slot f) (features m), every weights (positions m) with
  | Some ts, Some fs, Some ws =>
    every (fun cw => match token_slot f (column_itv (fst cw) ts), table_slot f m (fst cw) with
      | Some x, Some b => linear_slot f x b fs (snd cw) | _, _ => None end) (numbered ws)
  | _, _, _ => None
  end.
Definition shapes_ok (f : facts) (m : model) : bool :=
  let d := length (positions m) in
  forallb (fun r => length r =? d)%nat (embedding m) && forallb (fun r => length r =? d)%nat (table m) && (token_count f <=? length (embedding m))%nat.
