(* Whole models over all words at once: if the check succeeds, every run gives the program's answers. *)
From Coq Require Import ZArith Reals List Lia Lra Bool.
From Flocq Require Import Core BinarySingleNaN.
From Capax Require Import Binary32 Sums Softmax Network Program Intervals Words States Facts Unique Layers Heads.
Import ListNotations.
Open Scope Z_scope.

Lemma column_sink : forall c l s, column c (with_sink l s) = with_sink (column c l) (option_map (fun v => nth c v fzero) s).
Proof. intros c l [v|]; simpl; [|reflexivity]. unfold column. rewrite map_app. reflexivity. Qed.
Lemma hull_sound : forall l x y r, In x l -> hull l = Some y -> holds x r -> holds y r.
Proof.
  intros [|a l] x y r I H X; [contradiction|]. simpl in H. apply some_injective in H. subst y. destruct X as (F & L & U).
  assert (G : forall l a, (In x l \/ fst a <= fst x /\ snd x <= snd a) ->
    fst (fold_left (fun a b => (Z.min (fst a) (fst b), Z.max (snd a) (snd b))) l a) <= fst x /\
    snd x <= snd (fold_left (fun a b => (Z.min (fst a) (fst b), Z.max (snd a) (snd b))) l a)).
  { clear. induction l as [|b l IH]; intros a H; simpl; [destruct H as [[]|H]; exact H|]. apply IH. simpl. destruct H as [[->|I]|H]; [right; lia|now left|right; lia]. }
  destruct (G l a) as [G1 G2]; [destruct I as [->|I]; [right; lia|now left]|]. split; [exact F|].
  split; [eapply Rle_trans; [apply below_mult; exact G1|exact L]|eapply Rle_trans; [exact U|apply below_mult; exact G2]].
Qed.
Lemma sum_seq : forall (g : state -> Z) l, fold_right (fun j a => g (nth j l []) + a) 0 (seq 0 (length l)) = sum_of (map g l).
Proof.
  intros g l. induction l as [|x l IH]; [reflexivity|]. change (seq 0 (length (x :: l))) with (0%nat :: seq 1 (length l)). rewrite <- seq_shift.
  cbn [fold_right nth map sum_of]. f_equal. unfold sum_of in IH. rewrite <- IH. generalize (seq 0 (length l)). intros js. induction js as [|j js IHj]; simpl; [reflexivity|]. now rewrite IHj.
Qed.
Lemma exact_sums : forall (v : nat -> Z) most js, (forall j, In j js -> Z.abs (v j) <= most) ->
  let l := map (fun j => (v j * one_unit, v j * one_unit)) js in
  lows l = fold_right (fun j a => v j + a) 0 js * one_unit /\ highs l = fold_right (fun j a => v j + a) 0 js * one_unit /\
  sizes l <= Z.of_nat (length js) * most * one_unit.
Proof.
  intros v most js H l. unfold l. clear l. induction js as [|j js IH]; [simpl; lia|]. destruct (IH (fun x I => H x (or_intror I))) as (A & B & C).
  pose proof (H j (or_introl eq_refl)) as Hj. cbn [map lows highs sizes fold_right length fst snd].
  fold (lows (map (fun j => (v j * one_unit, v j * one_unit)) js)) (highs (map (fun j => (v j * one_unit, v j * one_unit)) js)) (sizes (map (fun j => (v j * one_unit, v j * one_unit)) js)).
  rewrite A, B. unfold size. cbn [fst snd]. rewrite Z.abs_mul. change (Z.abs one_unit) with one_unit. assert (0 < one_unit) by reflexivity.
  assert (Z.abs (v j) * one_unit <= most * one_unit) by (apply Z.mul_le_mono_nonneg_r; lia). rewrite Nat2Z.inj_succ.
  split; [ring|]. split; [ring|]. rewrite Z.max_id. replace (Z.succ (Z.of_nat (length js)) * most * one_unit) with (Z.of_nat (length js) * most * one_unit + most * one_unit) by ring. lia.
Qed.

(* Blocks and whole models. *)
Definition block_slots (p : program) (f : facts) (plans : list head_plan) (b : prepared_block) (X : list slot) : option (list slot) :=
  if (length plans =? length (pheads b))%nat then
    match every (fun x => head_slots p f (fst (snd x)) (fst x) (snd (snd x)) X) (combine plans (pheads b)) with
    | None => None
    | Some zss => match adds_slots f (pout b) (concat zss) X with None => None | Some mid => mlp_slots f (pmlp b) mid end
    end
  else None.
Fixpoint blocks_slots (p : program) (f : facts) (plans : list (list head_plan)) (bs : list prepared_block) (X : list slot) : option (list slot) :=
  match plans, bs with
  | [], [] => Some X
  | pl :: r, b :: t => match block_slots p f pl b X with None => None | Some Y => blocks_slots p f r t Y end
  | _, _ => None
  end.
Definition answers_ok (p : program) (f : facts) (classes : list Z) (L : list slot) : bool :=
  forallb (fun q => match every (fun a => look a q) L with None => false | Some l => answer_is classes l (value_of q [] (answer p)) end)
    (reach f (nodup Nat.eq_dec (flat_map deps L ++ heres (answer p)))).
Definition all_states_ok (p : program) (f : facts) (plans : list (list head_plan)) (m : model) (classes : list Z) : bool :=
  facts_ok p f && shapes_ok f m && subset (theres (answer p)) [] &&
  match embedded_slots f m, prepare_mlp (input_mlp m), every prepare_block (blocks m), prepare (readout m) with
  | Some X0, Some i, Some bs, Some r =>
    match mlp_slots f i X0 with
    | None => false
    | Some X1 =>
      match blocks_slots p f plans bs X1 with
      | None => false
      | Some X2 => match maps_slots f r X2 with None => false | Some L => answers_ok p f classes L end
      end
    end
  | _, _, _, _ => false
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
Notation ev := (ev p f word checked tokens_in length_in).
Variable e : f32 -> f32.
Hypothesis exp_is : exp_ok e.
Definition streams (X : list slot) (xs : list (list f32)) : Prop := length xs = n /\ forall i, (i < n)%nat -> Forall2 (slot_holds (st i)) X (nth i xs []).

Lemma streams_map : forall (R : list f32 -> list f32 -> Prop) X Y xs ys, streams X xs -> Forall2 R xs ys ->
  (forall i x y, (i < n)%nat -> Forall2 (slot_holds (st i)) X x -> R x y -> Forall2 (slot_holds (st i)) Y y) -> streams Y ys.
Proof.
  intros R X Y xs ys [L H] HR G. split; [rewrite <- (Forall2_length _ _ _ _ _ HR); exact L|]. intros i Hi.
  eapply G; [exact Hi|now apply H|]. apply Forall2_nth; [exact HR|lia].
Qed.
Lemma scaled_sound : forall i c cv Q0 Q y, (i < n)%nat -> holds c cv -> scaled_slots f c Q0 = Some Q -> Forall2 (slot_holds (st i)) Q0 y ->
  Forall2 (slot_holds (st i)) Q (map (fmul cv) y).
Proof.
  intros i c cv Q0 Q y Hi Hc C H. apply every_sound in C. revert y H. induction C as [|a b Q0 Q Cb _ IH]; intros y H; inversion H as [|? z ? zs (j & Lj & Hz) Hzs]; subst; simpl; constructor; auto.
  destruct (make_slot_look f (st i) (ev i Hi) _ _ _ Cb) as (_ & k & Lk & G). rewrite look_keep in G by auto. rewrite Lj in G.
  exists k. split; [exact Lk|]. eapply total_sound; [|exact G|exists 0%nat, (Leaf (P cv z)); split; [apply Permutation.Permutation_refl|reflexivity]].
  constructor; [|constructor]. now apply imul_sound.
Qed.
Lemma all_zero_holds : forall V s x, all_zero V = true -> slot_holds s V x -> holds zero_itv x.
Proof.
  intros V s x C (i & L & H). unfold all_zero in C. rewrite forallb_forall in C. unfold look in L.
  assert (I : exists t, In (t, i) (cells V)).
  { revert L. generalize (keep (deps V) s). intros t. induction (cells V) as [|[q j] l IH]; simpl; [discriminate|]. destruct (state_eqb t q).
    - intros E. apply some_injective in E. subst j. exists q. now left.
    - intros E. destruct (IH (fun x I => C x (or_intror I)) E) as (w & I). exists w. now right. }
  destruct I as (t & I). specialize (C _ I). cbn [snd] in C. unfold is_zero in C. apply andb_true_iff in C. destruct C as [C1 C2]. apply Z.eqb_eq in C1, C2.
  destruct i as [l h]. cbn [fst snd] in *. subst. exact H.
Qed.

Theorem head_slots_sound : forall plan ph h X Z xs zs, represents_head ph h -> streams X xs ->
  head_slots p f (length (rows (value_map h))) plan ph X = Some Z -> head_runs e h xs zs -> streams Z zs.
Proof.
  intros plan ph h X Z xs zs R HX C (qs & ks & vs & Hq & Hk & Hv & Hz). unfold head_slots in C.
  destruct (maps_slots f (pq ph) X) as [Q0|] eqn:EQ; [|discriminate]. destruct (maps_slots f (pk ph) X) as [K|] eqn:EK; [|discriminate].
  destruct (maps_slots f (pv ph) X) as [W|] eqn:EV; [|discriminate]. destruct (selector_of p (what plan)) as [s|] eqn:ES; [|discriminate].
  destruct (scaled_slots f (pscale ph) Q0) as [Q|] eqn:EC; [|discriminate].
  match type of C with (if ?b then _ else _) = _ => destruct b eqn:B; [|discriminate] end. apply andb_true_iff in B. destruct B as [B LW]. apply Nat.eqb_eq in LW.
  assert (HQ : streams Q qs).
  { eapply streams_map; [exact HX|exact Hq|]. intros i x q Hi Hx (y & My & ->). eapply scaled_sound; [exact Hi|apply (rep_scale _ _ R)|exact EC|].
    eapply maps_slots_sound; [exact (ev i Hi)|apply (rep_q _ _ R)|exact Hx|exact EQ|exact My]. }
  assert (HK : streams K ks).
  { eapply streams_map; [exact HX|exact Hk|]. intros i x y Hi Hx My. eapply maps_slots_sound; [exact (ev i Hi)|apply (rep_k _ _ R)|exact Hx|exact EK|exact My]. }
  assert (HV : streams W vs).
  { eapply streams_map; [exact HX|exact Hv|]. intros i x y Hi Hx My. eapply maps_slots_sound; [exact (ev i Hi)|apply (rep_v _ _ R)|exact Hx|exact EV|exact My]. }
  destruct HQ as [LQ HQ]. destruct HK as [LK HK]. destruct HV as [LV HV].
  split; [rewrite <- (Forall2_length _ _ _ _ _ Hz), numbered_length; exact LQ|]. intros i Hi.
  pose proof (Forall2_nth _ _ _ _ _ (0%nat, []) [] i Hz ltac:(rewrite numbered_length; lia)) as A. cbv beta in A. rewrite numbered_nth in A by lia. cbn [fst snd] in A.
  destruct A as (scores & Hs & Hm). set (z := nth i zs []) in *. set (m := head_mask h) in *. rewrite (rep_mask _ _ R) in B, C. fold m in B, C.
  set (dim := length (rows (value_map h))) in *.
  assert (Lz : length z = dim) by (rewrite <- (Forall2_length _ _ _ _ _ Hm), seq_length; reflexivity).
  pose proof (rep_sink _ _ R) as RS.
  set (skv := option_map (fun s => map fl (fst s)) (sink h)) in *. set (svv := option_map (fun s => map fl (snd s)) (sink h)) in *.
  assert (RK : match sink_key (psink ph), skv with Some a, Some b => Forall2 holds a b | None, None => True | _, _ => False end).
  { unfold skv, sink_key. destruct (psink ph), (sink h); simpl; try contradiction; [apply RS|exact I]. }
  set (js := seen_keys m i n) in *. set (g := fun j => selects s (st i) (st j)) in *.
  assert (Vals : forall c, column c (with_sink (visible m i vs) svv) = with_sink (map (fun j => nth c (nth j vs []) fzero) js) (option_map (fun v => nth c v fzero) svv)).
  { intros c. rewrite column_sink. f_equal. unfold column. rewrite (visible_nth _ m i vs []), map_map, LV. reflexivity. }
  assert (SS : sink_on (what plan) = true \/ (exists j, (j < n)%nat /\ selects s (st i) (st j) = true) ->
    (forall j, (j < n)%nat -> selects s (st i) (st j) = true -> sees m i j = true) /\
    exists T, Forall2 (scored T) (with_sink (map g js) (option_map (fun _ => sink_on (what plan)) skv)) scores).
  { intros X0. exact (scores_sound p f word checked tokens_in length_in m s (sink_on (what plan)) (sink_key (psink ph)) skv Q K _ _ i (nth i qs []) ks scores B Hi (HQ i Hi) LK HK RK Hs X0). }
  assert (Vslot : forall c j, (c < dim)%nat -> (j < n)%nat -> slot_holds (st j) (nth c W {| deps := []; cells := [] |}) (nth c (nth j vs []) fzero)).
  { intros c j Hc Hj. apply Forall2_nth; [now apply HV|]. rewrite LW. exact Hc. }
  assert (Mean : forall c, (c < dim)%nat -> mean_of e scores (with_sink (map (fun j => nth c (nth j vs []) fzero) js) (option_map (fun v => nth c v fzero) svv)) (nth c z fzero)).
  { intros c Hc. rewrite <- Vals. pose proof (Forall2_nth _ _ _ _ _ 0%nat fzero c Hm ltac:(rewrite seq_length; exact Hc)) as A. cbv beta in A. rewrite seq_nth in A by exact Hc. exact A. }
  clear Vals Hm Hs B HQ HK HX Hq Hk Hv Hz EQ EK EV EC.
  assert (NLo : (Z.of_nat n <= Z.of_nat (longest f))%Z) by lia.
  destruct (what plan) as [c0|s0 v o u|c0]; cbn [outputs sink_on selector_of] in *.
  - (* counts *)
    destruct (is_definition p c0) eqn:D; [|discriminate]. destruct (definition_at p c0) as [s1|?|? ? ?] eqn:DA; try discriminate. apply some_injective in ES. subst s1.
    destruct (psink ph) as [[pk0 sv]|]; [|discriminate]. unfold svv, skv in *. destruct (sink h) as [[a b]|]; [|contradiction]. cbn [fst snd option_map] in *. destruct RS as [_ RV].
    destruct (forallb all_zero W) eqn:AZ; [|discriminate]. rewrite forallb_forall in AZ. apply every_sound in C.
    assert (LZ : length Z = dim) by (rewrite <- (Forall2_length _ _ _ _ _ C), numbered_length; exact LW).
    destruct (SS (or_introl eq_refl)) as (See & T & Sc).
    set (k := length (filter g js)).
    assert (Kc : nth c0 (st i) 0 = Z.of_nat k).
    { rewrite (def_is p f word checked length_in c0 i D Hi), DA. simpl. f_equal. unfold k, js, seen_keys. rewrite filter_filter_len.
      - unfold g. rewrite <- (states_length p word scope). symmetry. apply (filter_seq_len _ (selects s (st i)) sts []).
      - intros j I G. apply in_seq in I. apply See; [lia|exact G]. }
    apply (Forall2_by_nth _ _ _ _ _ {| deps := []; cells := [] |} fzero); [congruence|]. intros c Hc. rewrite LZ in Hc.
    pose proof (Forall2_nth _ _ _ _ _ (0%nat, {| deps := []; cells := [] |}) {| deps := []; cells := [] |} c C ltac:(rewrite numbered_length; lia)) as Cc. cbv beta in Cc.
    rewrite numbered_nth in Cc by lia. cbn [fst] in Cc. set (svc := nth c sv zero_itv) in *.
    destruct (make_slot_look f (st i) (ev i Hi) _ _ _ Cc) as (_ & r & Lr & G). cbv zeta in G. rewrite (keep_agree [c0] (st i) c0) in G by (now left). rewrite Kc in G.
    destruct ((0 <=? Z.of_nat k) && (Z.of_nat k + 1 <=? most_terms) && (size svc <=? Z.shiftl 1 159)) eqn:Bd; [|discriminate].
    rewrite !andb_true_iff, !Z.leb_le in Bd. destruct Bd as ((_ & Bd1) & Bd2). apply some_injective in G. subst r. exists (quotient (fst svc) (snd svc) (Z.of_nat k + 1) 1 (size svc)). split; [exact Lr|].
    assert (HVS : Forall2 holds (map (fun _ => zero_itv) js ++ [svc]) (map (fun j => nth c (nth j vs []) fzero) js ++ [nth c (map fl b) fzero])).
    { apply Forall2_app.
      - assert (Seen : forall j, In j js -> (j < n)%nat) by (intros j I; now apply seen_keys_In in I). clear -Seen Vslot AZ Hc LW. induction js as [|j l IH]; simpl; constructor.
        + eapply all_zero_holds; [|apply Vslot; [exact Hc|apply Seen; now left]]. apply AZ, nth_In. lia.
        + apply IH. intros. apply Seen. now right.
      - constructor; [|constructor]. unfold svc. destruct (Nat.lt_ge_cases c (length sv)) as [H|H]; [now apply Forall2_nth|].
        rewrite !nth_overflow; [exact zero_holds| |exact H]. rewrite <- (Forall2_length _ _ _ _ _ RV). exact H. }
    assert (Sel : picked (map g js ++ [true]) (map (fun _ => zero_itv) js ++ [svc]) = repeat zero_itv k ++ [svc]).
    { rewrite picked_app by (rewrite !map_length; reflexivity). rewrite picked_const. reflexivity. }
    destruct (zeros_then k svc) as (A1 & A2 & A3 & A4 & A5). cbv zeta in *.
    pose proof (Mean c Hc) as Mc. cbn [with_sink option_map] in Mc, Sc.
    assert (Ls : length scores = length (map (fun j => nth c (nth j vs []) fzero) js ++ [nth c (map fl b) fzero])).
    { rewrite <- (Forall2_length _ _ _ _ _ Sc), !app_length, !map_length. reflexivity. }
    destruct (mean_core e T _ scores _ _ (nth c z fzero) exp_is Sc HVS Ls) as [Mq _].
    + rewrite Sel, A5. split; lia.
    + rewrite Sel, A3. exact Bd2.
    + exact Mc.
    + rewrite Sel, A1, A2, A3, A4, A5 in Mq. replace (Z.of_nat (S k)) with (Z.of_nat k + 1) in Mq by lia. apply Mq; [|lia]. unfold nonzero. destruct ((fst svc =? 0) && (snd svc =? 0)); lia.
  - (* one key *)
    apply some_injective in ES. subst s0. match type of C with (if ?b then _ else _) = _ => destruct b eqn:Ok; [|discriminate] end.
    rewrite !andb_true_iff in Ok. destruct Ok as (((Ok1 & Ok2) & Ok3) & Ok4). apply every_sound in C.
    assert (LZ : length Z = dim) by (rewrite <- (Forall2_length _ _ _ _ _ C); exact LW).
    destruct (one_key p f word checked tokens_in length_in s u i Ok1 Hi) as (j & Hj & Sj & Uj).
    destruct (SS (or_intror (ex_intro _ j (conj Hj Sj)))) as (See & T & Sc).
    assert (Ij : In j js) by (apply seen_keys_In; split; [exact Hj|now apply See]).
    assert (VO : value_of [] (st j) v = value_of (st i) [] o).
    { assert (Vq : forall q, value_of q (st j) v = value_of [] (st j) v).
      { intros q. apply value_agree; [|intros x I; reflexivity]. intros x I. apply (subset_In _ _ Ok3) in I. contradiction. }
      unfold value_is_answer in Ok2. apply orb_true_iff in Ok2. destruct Ok2 as [O|O].
      - destruct o; try discriminate. apply andb_true_iff in O. destruct O as [D O]. pose proof (def_is p f word checked length_in c i D Hi) as E.
        destruct (definition_at p c) as [?|?|s' v' d']; try discriminate. apply andb_true_iff in O. destruct O as [O1 O2].
        unfold same in O1, O2. destruct (expr_eq_dec s s'); [|discriminate]. destruct (expr_eq_dec v v'); [|discriminate]. subst s' v'. simpl in *. rewrite E.
        rewrite (filter_single _ (selects s (st i)) sts [] j); [symmetry; apply Vq| |exact Sj|]; rewrite (states_length p word scope); [exact Hj|exact Uj].
      - rewrite forallb_forall in O. specialize (O _ (ev i Hi _)). rewrite forallb_forall in O. specialize (O _ (ev j Hj _)).
        set (Dq := nodup Nat.eq_dec (2%nat :: heres s ++ heres o)) in *. set (Dk := nodup Nat.eq_dec (2%nat :: theres s ++ theres v)) in *.
        rewrite (keep_agree Dq (st i) 2%nat) in O by (apply nodup_In; now left). rewrite (keep_agree Dk (st j) 2%nat) in O by (apply nodup_In; now left).
        rewrite (proj2 (proj2 (state_base p word scope i Hi))), (proj2 (proj2 (state_base p word scope j Hj))), Z.eqb_refl in O.
        assert (S1 : selects s (keep Dq (st i)) (keep Dk (st j)) = true).
        { rewrite <- Sj. unfold selects. f_equal. apply value_agree; intros x I; apply keep_agree; apply nodup_In; right; apply in_or_app; now left. }
        rewrite S1 in O. simpl in O. apply Z.eqb_eq in O. etransitivity; [|etransitivity; [exact O|]].
        + apply value_agree; [intros x I; reflexivity|]. intros x I. symmetry. apply keep_agree, nodup_In. right. apply in_or_app. now right.
        + apply value_agree; [|intros x I; reflexivity]. intros x I. apply keep_agree, nodup_In. right. apply in_or_app. now right. }
    apply (Forall2_by_nth _ _ _ _ _ {| deps := []; cells := [] |} fzero); [congruence|]. intros c Hc. rewrite LZ in Hc.
    pose proof (Forall2_nth _ _ _ _ _ {| deps := []; cells := [] |} {| deps := []; cells := [] |} c C ltac:(lia)) as Cc. cbv beta in Cc.
    set (Vc := nth c W {| deps := []; cells := [] |}) in *. unfold read_out in Cc.
    destruct (every _ (reach f (nodup Nat.eq_dec (deps Vc ++ theres v)))) as [tb|] eqn:ET; [|discriminate].
    destruct (make_slot_look f (st i) (ev i Hi) _ _ _ Cc) as (_ & r & Lr & G). exists r. split; [exact Lr|].
    destruct (Vslot c j Hc Hj) as (w & Lw & Hw). fold Vc in Lw.
    set (D := nodup Nat.eq_dec (deps Vc ++ theres v)) in *.
    assert (It : In (value_of [] (st j) v, w) tb /\ size w <= Z.shiftl 1 159).
    { apply every_sound in ET. pose proof (ev j Hj D) as I. clear -ET I Lw. 
      assert (LK : look Vc (keep D (st j)) = Some w) by (rewrite look_keep; [exact Lw|intros x Ix; apply nodup_In, in_or_app; now left]).
      assert (VK : value_of [] (keep D (st j)) v = value_of [] (st j) v).
      { apply value_agree; [intros x Ix; reflexivity|]. intros x Ix. apply keep_agree, nodup_In, in_or_app. now right. }
      clearbody D. induction ET as [|k x l tb Ex _ IH]; [contradiction|]. destruct I as [->|I].
      - rewrite LK in Ex. destruct (Z.leb_spec (size w) (Z.shiftl 1 159)); [|discriminate]. apply some_injective in Ex. subst x. rewrite VK. split; [now left|assumption].
      - destruct (IH I). split; [now right|assumption]. }
    destruct It as [It Sw].
    assert (Gw : In w (map snd (filter (fun x => fst x =? value_of (keep (nodup Nat.eq_dec (heres o)) (st i)) [] o) tb))).
    { apply in_map_iff. exists (value_of [] (st j) v, w). split; [reflexivity|]. apply filter_In. split; [exact It|]. cbn [fst]. apply Z.eqb_eq. rewrite VO.
      apply value_agree; [|intros x I; reflexivity]. intros x I. symmetry. apply keep_agree, nodup_In, I. }
    eapply hull_sound; [exact Gw|exact G|].
    set (hv := fun a => match look Vc (st a) with Some y => y | None => zero_itv end).
    assert (Seen : forall a, In a js -> (a < n)%nat) by (intros a I; now apply seen_keys_In in I).
    assert (HB : Forall2 holds (map hv js) (map (fun a => nth c (nth a vs []) fzero) js)).
    { clear -Seen Vslot Hc. induction js as [|a l IH]; simpl; constructor.
      - destruct (Vslot c a Hc (Seen a (or_introl eq_refl))) as (y & Ly & Hy). fold Vc in Ly. unfold hv. rewrite Ly. exact Hy.
      - apply IH. intros. apply Seen. now right. }
    assert (ND : NoDup js) by (unfold js, seen_keys; apply NoDup_filter, seq_NoDup).
    assert (PU : picked (map g js) (map hv js) = [hv j]).
    { apply picked_unique; auto. }
    assert (Hvj : hv j = w) by (unfold hv; now rewrite Lw).
    pose proof (Mean c Hc) as Mc. unfold svv, skv in *.
    assert (Fin : exists vsi, Forall2 holds vsi (with_sink (map (fun a => nth c (nth a vs []) fzero) js) (option_map (fun v => nth c v fzero) (option_map (fun s => map fl (snd s)) (sink h)))) /\
      picked (with_sink (map g js) (option_map (fun _ => false) (option_map (fun s => map fl (fst s)) (sink h)))) vsi = [w]).
    { destruct (psink ph) as [[a b]|], (sink h) as [[a' b']|]; try contradiction; cbn [option_map with_sink fst snd] in *.
      - destruct RS as [_ RV]. exists (map hv js ++ [nth c b zero_itv]). split.
        + apply Forall2_app; [exact HB|]. constructor; [|constructor]. destruct (Nat.lt_ge_cases c (length b)) as [H|H]; [now apply Forall2_nth|].
          rewrite !nth_overflow; [exact zero_holds| |exact H]. rewrite <- (Forall2_length _ _ _ _ _ RV). exact H.
        + rewrite picked_app by (rewrite !map_length; reflexivity). rewrite PU, Hvj. reflexivity.
      - exists (map hv js). split; [exact HB|]. now rewrite PU, Hvj. }
    destruct Fin as (vsi & HVS & Sel).
    assert (Ls : length scores = length (with_sink (map (fun a => nth c (nth a vs []) fzero) js) (option_map (fun v => nth c v fzero) (option_map (fun s => map fl (snd s)) (sink h))))).
    { rewrite <- (Forall2_length _ _ _ _ _ Sc). destruct (sink h); cbn [option_map with_sink]; rewrite ?app_length, !map_length; reflexivity. }
    destruct (mean_core e T _ scores _ _ (nth c z fzero) exp_is Sc HVS Ls) as [_ Mq].
    + rewrite Sel. unfold most_terms. simpl. lia.
    + rewrite Sel. unfold sizes, fold_right. lia.
    + exact Mc.
    + rewrite Sel in Mq. specialize (Mq eq_refl). unfold lows, highs, fold_right in Mq. rewrite !Z.add_0_r in Mq. destruct w as [wl wh]. exact Mq.
  - (* means *)
    apply some_injective in ES. subst s. destruct (definition_at p c0) as [?|v|? ? ?] eqn:DA; try discriminate. destruct m eqn:Em; try discriminate.
    destruct (psink ph); [discriminate|]. unfold svv, skv in *. destruct (sink h); [contradiction|]. cbn [option_map with_sink] in *.
    destruct (is_definition p c0 && subset (heres v) []) eqn:Ok; [|discriminate]. apply andb_true_iff in Ok. destruct Ok as [D Ok]. apply every_sound in C.
    assert (LZ : length Z = dim) by (rewrite <- (Forall2_length _ _ _ _ _ C); exact LW).
    destruct (SS (or_intror (ex_intro _ i (conj Hi eq_refl)))) as (_ & T & Sc).
    assert (Js : js = seq 0 n).
    { unfold js, seen_keys. generalize (seq 0 n). intros l. induction l as [|a l IH]; simpl; [reflexivity|]. now rewrite IH. }
    assert (Vq : forall q a, value_of q (st a) v = value_of [] (st a) v).
    { intros q a. apply value_agree; [|intros x I; reflexivity]. intros x I. apply (subset_In _ _ Ok) in I. contradiction. }
    assert (Tot : nth c0 (st i) 0 = fold_right (fun a b => value_of [] (st a) v + b) 0 (seq 0 n)).
    { rewrite (def_is p f word checked length_in c0 i D Hi), DA. simpl. rewrite <- (states_length p word scope), (sum_seq (fun k => value_of [] k v) sts). f_equal. apply map_ext_in.
      intros k I. destruct (in_sts p f word checked k I) as (a & _ & ->). apply Vq. }
    apply (Forall2_by_nth _ _ _ _ _ {| deps := []; cells := [] |} fzero); [congruence|]. intros c Hc. rewrite LZ in Hc.
    pose proof (Forall2_nth _ _ _ _ _ {| deps := []; cells := [] |} {| deps := []; cells := [] |} c C ltac:(lia)) as Cc. cbv beta in Cc.
    set (Vc := nth c W {| deps := []; cells := [] |}) in *. unfold averaged in Cc. set (DD := nodup Nat.eq_dec (deps Vc ++ theres v)) in *.
    set (most := fold_right (fun k a => Z.max (Z.abs (value_of [] k v)) a) 0 (reach f DD)) in *.
    match type of Cc with (if ?b then _ else _) = _ => destruct b eqn:Ex; [|discriminate] end. rewrite forallb_forall in Ex.
    assert (Each : forall a, (a < n)%nat -> holds (value_of [] (st a) v * one_unit, value_of [] (st a) v * one_unit) (nth c (nth a vs []) fzero) /\ Z.abs (value_of [] (st a) v) <= most).
    { intros a Ha. pose proof (ev a Ha DD) as I. specialize (Ex _ I). rewrite look_keep in Ex by (intros x Ix; apply nodup_In, in_or_app; now left).
      assert (VK : value_of [] (keep DD (st a)) v = value_of [] (st a) v).
      { apply value_agree; [intros x Ix; reflexivity|]. intros x Ix. apply keep_agree, nodup_In, in_or_app. now right. }
      rewrite VK in Ex. destruct (Vslot c a Hc Ha) as (w & Lw & Hw). fold Vc in Lw. rewrite Lw in Ex. apply andb_true_iff in Ex. destruct Ex as [E1 E2]. apply Z.eqb_eq in E1, E2.
      split; [destruct w as [wl wh]; cbn [fst snd] in *; subst; exact Hw|]. rewrite <- VK. unfold most. clear -I. induction (reach f DD) as [|k l IH]; [contradiction|].
      cbn [fold_right]. destruct I as [->|I]; [lia|]. specialize (IH I). lia. }
    destruct (make_slot_look f (st i) (ev i Hi) _ _ _ Cc) as (_ & r & Lr & G). cbv zeta in G.
    rewrite (keep_agree [c0; 2%nat] (st i) 2%nat) in G by (right; now left). rewrite (keep_agree [c0; 2%nat] (st i) c0) in G by (now left).
    rewrite (proj2 (proj2 (state_base p word scope i Hi))) in G.
    match type of G with (if ?b then _ else _) = _ => destruct b eqn:Bd; [|discriminate] end. rewrite !andb_true_iff, !Z.leb_le in Bd. destruct Bd as ((Bd1 & Bd2) & Bd3).
    apply some_injective in G. exists r. split; [exact Lr|]. subst r.
    set (hv := fun a => (value_of [] (st a) v * one_unit, value_of [] (st a) v * one_unit)).
    assert (HB : Forall2 holds (map hv js) (map (fun a => nth c (nth a vs []) fzero) js)).
    { rewrite Js. assert (Sn : forall a, In a (seq 0 n) -> (a < n)%nat) by (intros a I; apply in_seq in I; lia). clear -Sn Each. induction (seq 0 n) as [|a l IH]; simpl; constructor.
      - apply Each, Sn. now left.
      - apply IH. intros. apply Sn. now right. }
    assert (Sel : picked (map g js) (map hv js) = map hv js) by (apply picked_all; intros; reflexivity).
    destruct (exact_sums (fun a => value_of [] (st a) v) most (seq 0 n)) as (A1 & A2 & A3); [intros a I; apply in_seq in I; apply Each; lia|]. fold hv in A1, A2, A3. rewrite seq_length in A3.
    pose proof (Mean c Hc) as Mc.
    assert (Ls : length scores = length (map (fun a => nth c (nth a vs []) fzero) js)) by (rewrite <- (Forall2_length _ _ _ _ _ Sc), !map_length; reflexivity).
    assert (Lj : length (map hv js) = n) by (rewrite map_length, Js; apply seq_length).
    destruct (mean_core e T _ scores _ _ (nth c z fzero) exp_is Sc HB Ls) as [Mq _].
    + rewrite Sel, Lj. lia.
    + rewrite Sel, Js. lia.
    + exact Mc.
    + rewrite Sel, Lj in Mq. specialize (Mq (Z.of_nat n) (Z.of_nat n * most * one_unit)). rewrite Js in Mq at 3. rewrite Js in Mq at 3. rewrite A1, A2 in Mq. rewrite <- Tot in Mq.
      apply Mq; [|rewrite Js; exact A3]. pose proof (nonzeros_length (map hv js)) as NL. rewrite Lj in NL. lia.
Qed.

Lemma block_slots_sound : forall plans pb b X Y xs ys, represents_block pb b -> streams X xs -> block_slots p f plans pb X = Some Y ->
  block_runs e b xs ys -> streams Y ys.
Proof.
  intros plans pb b X Y xs ys R HX C (zss & mid & Hz & Hm & Hy). unfold block_slots in C.
  destruct (length plans =? length (pheads pb))%nat eqn:L; [|discriminate]. apply Nat.eqb_eq in L.
  destruct (every _ (combine plans (pheads pb))) as [ZS|] eqn:EZ; [|discriminate].
  destruct (adds_slots f (pout pb) (concat ZS) X) as [M|] eqn:EM; [|discriminate].
  assert (HZ : Forall2 streams ZS zss).
  { apply every_sound in EZ. pose proof (rep_heads _ _ R) as RH. clear EM Hm. revert plans ZS zss L EZ Hz.
    induction RH as [|q h ps hs [Eq Rq] _ IH]; intros plans ZS zss L EZ Hz; destruct plans as [|pl plans]; simpl in L; try discriminate.
    - inversion EZ; subst. inversion Hz; subst. constructor.
    - cbn [combine] in EZ. inversion EZ as [|? Z0 ? ZS' E1 E2]; subst. inversion Hz as [|? z0 ? zss' Z1 Z2]; subst. constructor.
      + cbn [fst snd] in E1. rewrite Eq in E1. eapply head_slots_sound; eassumption.
      + eapply IH; [|exact E2|exact Z2]. congruence. }
  destruct HX as [LX HX].
  assert (HM : streams M mid).
  { split; [rewrite <- (Forall2_length _ _ _ _ _ Hm), numbered_length; exact LX|]. intros i Hi.
    pose proof (Forall2_nth _ _ _ _ _ (0%nat, []) [] i Hm ltac:(rewrite numbered_length; lia)) as A. cbv beta in A. rewrite numbered_nth in A by lia. cbn [fst snd] in A.
    eapply adds_slots_sound; [exact (ev i Hi)|apply (rep_out _ _ R)| |apply HX; exact Hi|exact EM|exact A].
    unfold written. clear -HZ Hi. induction HZ as [|Z0 z0 ZS zss [_ H0] _ IH]; simpl; [constructor|]. apply Forall2_app; [now apply H0|exact IH]. }
  eapply streams_map; [exact HM|exact Hy|]. intros i x y Hi Hx Hr. eapply mlp_slots_sound; [exact (ev i Hi)|apply (rep_mlp _ _ R)|exact Hx|exact C|exact Hr].
Qed.
Lemma blocks_slots_sound : forall pbs bs, Forall2 represents_block pbs bs -> forall plans X Y xs ys, streams X xs -> blocks_slots p f plans pbs X = Some Y ->
  blocks_run e bs xs ys -> streams Y ys.
Proof.
  induction 1 as [|pb b pbs bs R _ IH]; intros [|pl plans] X Y xs ys HX C A; simpl in *; try discriminate.
  - apply some_injective in C. subst. exact HX.
  - destruct (block_slots p f pl pb X) as [M|] eqn:E; [|discriminate]. destruct A as (mid & A1 & A2). eapply IH; [|exact C|exact A2]. eapply block_slots_sound; eassumption.
Qed.
Lemma answers_sound : forall classes L logits, subset (theres (answer p)) [] = true -> answers_ok p f classes L = true -> streams L logits ->
  answers classes logits = computes p word.
Proof.
  intros classes L logits T C [LL H]. unfold answers, computes.
  apply nth_ext with (d := nth (argmax []) classes 0) (d' := value_of [] [] (answer p)).
  { rewrite !map_length, (states_length p word scope). exact LL. }
  intros i Hi. rewrite map_length, LL in Hi. rewrite (map_nth (fun l => nth (argmax l) classes 0) logits []).
  rewrite (map_nth (fun q => value_of q q (answer p)) sts ([] : state)).
  unfold answers_ok in C. rewrite forallb_forall in C. specialize (C _ (ev i Hi _)). set (D := nodup Nat.eq_dec (flat_map deps L ++ heres (answer p))) in *.
  destruct (every (fun a => look a (keep D (st i))) L) as [l|] eqn:E; [|discriminate].
  assert (Hl : Forall2 holds l (nth i logits [])).
  { eapply looks; [exact Hi| |apply H; exact Hi|exact E]. apply subset_of. intros c I. apply nodup_In, in_or_app. now left. }
  unfold answer_is in C. apply existsb_exists in C. destruct C as (k & _ & K). apply andb_true_iff in K. destruct K as [K1 K2]. apply Z.eqb_eq in K2.
  rewrite (argmax_sound k l _ Hl K1), K2. apply value_agree.
  - intros c I. apply keep_agree, nodup_In, in_or_app. now right.
  - intros c I. apply (subset_In _ _ T) in I. contradiction.
Qed.
Lemma run_answers : forall plans m classes logits, all_states_ok p f plans m classes = true -> runs e m word logits -> answers classes logits = computes p word.
Proof.
  intros plans m classes logits C (x0 & x1 & x2 & H0 & H1 & H2 & H3). unfold all_states_ok in C. rewrite !andb_true_iff in C. destruct C as (((_ & Sh) & T) & C).
  destruct (embedded_slots f m) as [X0|] eqn:E0; [|discriminate]. destruct (prepare_mlp (input_mlp m)) as [pi|] eqn:EI; [|discriminate].
  destruct (every prepare_block (blocks m)) as [bs|] eqn:EB; [|discriminate]. destruct (prepare (readout m)) as [r|] eqn:ER; [|discriminate].
  destruct (mlp_slots f pi X0) as [X1|] eqn:E1; [|discriminate]. destruct (blocks_slots p f plans bs X1) as [X2|] eqn:E2; [|discriminate].
  destruct (maps_slots f r X2) as [L|] eqn:E3; [|discriminate].
  assert (S0 : streams X0 x0).
  { split; [rewrite <- (Forall2_length _ _ _ _ _ H0), numbered_length; reflexivity|]. intros i Hi.
    pose proof (Forall2_nth _ _ _ _ _ (0%nat, 0%nat) [] i H0 ltac:(rewrite numbered_length; exact Hi)) as A. cbv beta in A. rewrite numbered_nth in A by exact Hi. cbn [fst snd] in A.
    destruct (state_base p word scope i Hi) as (B0 & B1 & _).
    eapply embedded_slots_sound; [exact (ev i Hi)|exact B0|exact B1| |exact Sh|exact E0|exact A]. rewrite Forall_forall in tokens_in. apply tokens_in, nth_In, Hi. }
  assert (S1 : streams X1 x1).
  { eapply streams_map; [exact S0|exact H1|]. intros i x y Hi Hx Hr. eapply mlp_slots_sound; [exact (ev i Hi)|apply prepare_mlp_sound; exact EI|exact Hx|exact E1|exact Hr]. }
  assert (S2 : streams X2 x2).
  { eapply blocks_slots_sound; [|exact S1|exact E2|exact H2]. eapply every_represents; [|exact EB]. intros. now apply prepare_block_sound. }
  eapply answers_sound; [exact T|exact C|]. eapply streams_map; [exact S2|exact H3|]. intros i x y Hi Hx Hr.
  eapply maps_slots_sound; [exact (ev i Hi)|apply prepare_sound; exact ER|exact Hx|exact E3|exact Hr].
Qed.
End Word.

(* Level 2: if the check of all states succeeds, every run of the model on every word gives the answers of the program. *)
Theorem by_states : forall p f plans m classes, all_states_ok p f plans m classes = true ->
  forall e word logits, exp_ok e -> Forall (fun t => (t < token_count f)%nat) word -> (1 <= length word <= longest f)%nat -> runs e m word logits ->
  answers classes logits = computes p word.
Proof.
  intros p f plans m classes C e word logits E W L R. assert (F : facts_ok p f = true) by (unfold all_states_ok in C; rewrite !andb_true_iff in C; apply C).
  exact (run_answers p f word F W L e E plans m classes logits C R).
Qed.
