(* Intervals of integers, in units of 2^-60, that hold whatever a layer computes in any order of summation. *)
From Coq Require Import ZArith Reals List Lia Lra Bool.
From Flocq Require Import Core BinarySingleNaN.
From Capax Require Import Binary32 Sums Softmax Network.
Import ListNotations.
Open Scope Z_scope.

Notation itv := (Z * Z)%type (only parsing).
Definition size (a : itv) : Z := Z.max (Z.abs (fst a)) (Z.abs (snd a)).
Definition unit_bits := 60.
Definition one_unit := Eval compute in 2 ^ 60.

(* A product, in units of 2^-120. The second factor is usually one number. *)
Definition imul (a b : itv) : itv :=
  if fst b =? snd b then
    if 0 <=? fst b then (fst a * fst b, snd a * fst b) else (snd a * fst b, fst a * fst b)
  else if fst a =? snd a then
    if 0 <=? fst a then (fst a * fst b, fst a * snd b) else (fst a * snd b, fst a * fst b)
  else let m := size a * size b in (- m, m).
Definition wide (a : itv) : itv := (Z.shiftl (fst a) 60, Z.shiftl (snd a) 60).
Definition narrow (a : itv) : itv := (Z.shiftr (fst a) 60, - Z.shiftr (- snd a) 60).

(* A sum in any order: exact on a grid, else widened by its error. *)
Fixpoint zeros_at (p : positive) : Z := match p with xO q => 1 + zeros_at q | _ => 0 end.
Definition grain (l : list itv) : Z :=
  match fold_left (fun z a => Z.lor z (fst a)) l 0 with Zpos p => zeros_at p | Zneg p => zeros_at p | Z0 => 0 end.
Definition is_multiple (e : Z) (a : itv) : bool := (fst a =? snd a) && (Z.shiftl (Z.shiftr (fst a) e) e =? fst a).
Definition lows (l : list itv) : Z := fold_right (fun a s => fst a + s) 0 l.
Definition highs (l : list itv) : Z := fold_right (fun a s => snd a + s) 0 l.
Definition sizes (l : list itv) : Z := fold_right (fun a s => size a + s) 0 l.
Definition nonzero (a : itv) : Z := if (fst a =? 0) && (snd a =? 0) then 0 else 1.
Definition nonzeros (l : list itv) : Z := fold_right (fun a s => nonzero a + s) 0 l.
Definition total (l : list itv) : option itv :=
  let s := sizes l in let n := nonzeros l in
  if (s <=? Z.shiftl 1 220) && (n <=? most_terms) then
    let e := grain l in
    if (0 <=? e) && (e <=? 200) && (s <=? Z.shiftl 1 (24 + e)) && forallb (is_multiple e) l
    then Some (narrow (lows l, highs l))
    else let err := Z.shiftr (n * s) 23 + 2 in Some (narrow (lows l - err, highs l + err))
  else None.

Open Scope R_scope.
Arguments bpow : simpl never.
Definition holds (a : itv) (x : f32) : Prop :=
  fin x = true /\ IZR (fst a) * pow2 (-60) <= val x <= IZR (snd a) * pow2 (-60).
Definition tholds (a : itv) (t : term) : Prop :=
  tfin t /\ IZR (fst a) * pow2 (-120) <= tval t <= IZR (snd a) * pow2 (-120).

Lemma shiftl_pow : forall a n, (0 <= n)%Z -> Z.shiftl a n = (a * 2 ^ n)%Z.
Proof. intros. apply Z.shiftl_mul_pow2. assumption. Qed.
Lemma pow2_IZR : forall n, (0 <= n)%Z -> IZR (2 ^ n) = pow2 n.
Proof. intros. rewrite <- IZR_Zpower by assumption. reflexivity. Qed.
Lemma shift_split : forall a, IZR a * pow2 (-120) = IZR a * pow2 (-60) * pow2 (-60).
Proof. intros. rewrite Rmult_assoc, <- bpow_plus. reflexivity. Qed.
Lemma up120 : forall x y, x <= y -> x * pow2 (-120) <= y * pow2 (-120).
Proof. intros. apply Rmult_le_compat_r; [apply bpow_ge_0|assumption]. Qed.
Lemma shiftr_le : forall a, IZR (Z.shiftr a 60) * pow2 (-60) <= IZR a * pow2 (-120).
Proof.
  intros a. rewrite shift_split. apply Rmult_le_compat_r; [apply bpow_ge_0|].
  rewrite Z.shiftr_div_pow2 by lia. pose proof (Z_div_mod_eq_full a (2 ^ 60)). pose proof (Z.mod_pos_bound a (2 ^ 60) eq_refl).
  apply Rmult_le_reg_r with (pow2 60); [apply bpow_gt_0|]. rewrite Rmult_assoc, <- bpow_plus. change (pow2 (-60 + 60)) with 1. rewrite Rmult_1_r.
  rewrite <- pow2_IZR, <- mult_IZR by lia. apply IZR_le. lia.
Qed.
Lemma narrow_sound : forall a x, IZR (fst a) * pow2 (-120) <= x <= IZR (snd a) * pow2 (-120) ->
  IZR (fst (narrow a)) * pow2 (-60) <= x <= IZR (snd (narrow a)) * pow2 (-60).
Proof.
  intros [lo hi] x [L H]. unfold narrow. cbn [fst snd] in *. pose proof (shiftr_le lo). pose proof (shiftr_le (- hi)).
  rewrite !opp_IZR in *. lra.
Qed.

Lemma sums_lows : forall l ts, Forall2 tholds l ts ->
  IZR (lows l) * pow2 (-120) <= rsum ts <= IZR (highs l) * pow2 (-120) /\
  rabs ts <= IZR (sizes l) * pow2 (-120) /\ (nz ts <= nonzeros l)%Z /\ Forall tfin ts.
Proof.
  induction 1 as [|a t l ts (F & L & H) _ ((IL & IH) & IA & IN & IF)]; simpl.
  - repeat split; try lra; try lia. constructor.
  - rewrite !plus_IZR, !Rmult_plus_distr_r. repeat split; try lra.
    + apply Rplus_le_compat; [|exact IA]. unfold size. apply Rabs_le. split.
      * apply Rle_trans with (IZR (fst a) * pow2 (-120)); [|exact L]. rewrite <- Ropp_mult_distr_l_reverse, <- opp_IZR.
        apply up120, IZR_le. lia.
      * apply Rle_trans with (IZR (snd a) * pow2 (-120)); [exact H|]. apply up120, IZR_le. lia.
    + apply Z.add_le_mono; [|exact IN]. unfold nonzero, zero_or_not.
      destruct (Z.eqb_spec (fst a) 0) as [E1|E1], (Z.eqb_spec (snd a) 0) as [E2|E2]; simpl;
        try (destruct (Req_bool (tval t) 0); lia).
      rewrite E1 in L. rewrite E2 in H. rewrite Req_bool_true by lra. lia.
    + constructor; assumption.
Qed.

Lemma size_pos : forall a, (0 <= size a)%Z.
Proof. intros. unfold size. lia. Qed.
Lemma sizes_pos : forall l, (0 <= sizes l)%Z.
Proof. induction l; simpl; [lia|]. pose proof (size_pos a). lia. Qed.
Lemma nonzeros_pos : forall l, (0 <= nonzeros l)%Z.
Proof. induction l; simpl; [lia|]. unfold nonzero. destruct ((fst a =? 0) && (snd a =? 0))%Z; lia. Qed.

Lemma Forall2_length : forall A B (R : A -> B -> Prop) l l', Forall2 R l l' -> length l = length l'.
Proof. induction 1; simpl; congruence. Qed.
Lemma some_injective : forall A (x y : A), Some x = Some y -> x = y.
Proof. congruence. Qed.
Theorem total_sound : forall l ts a r, Forall2 tholds l ts -> total l = Some a -> sums ts r -> holds a r.
Proof.
  intros l ts a r H T S. destruct (sums_lows l ts H) as ((L & U) & A & N & F). unfold total in T.
  destruct ((sizes l <=? Z.shiftl 1 220) && (nonzeros l <=? most_terms))%Z eqn:C; [|discriminate].
  apply andb_true_iff in C. destruct C as [C1 C2]. apply Z.leb_le in C1, C2. rewrite shiftl_pow in C1 by lia.
  assert (B : rabs ts <= pow2 100).
  { eapply Rle_trans; [exact A|]. apply Rle_trans with (IZR (2 ^ 220) * pow2 (-120)).
    - apply up120, IZR_le. lia.
    - rewrite pow2_IZR, <- bpow_plus by lia. apply Rle_refl. }
  set (e := grain l) in *.
  destruct ((0 <=? e) && (e <=? 200) && (sizes l <=? Z.shiftl 1 (24 + e)) && forallb (is_multiple e) l)%Z eqn:G; apply some_injective in T; subst a.
  - rewrite !andb_true_iff in G. destruct G as (((G1 & G2) & G3) & G4). apply Z.leb_le in G1, G2, G3.
    rewrite shiftl_pow, Z.pow_add_r in G3 by lia.
    destruct (sums_exact (e - 120) ts r) as [Fr Vr]; auto; [lia| |].
    + split.
      * clearbody e. clear - G4 H G1. induction H as [|a t l ts (F & L & U) H IH]; [constructor|]. simpl in G4. apply andb_true_iff in G4. destruct G4 as [M G4].
        constructor; [|now apply IH]. unfold is_multiple in M. apply andb_true_iff in M. destruct M as [M1 M2]. apply Z.eqb_eq in M1, M2.
        exists (Z.shiftr (fst a) e). rewrite shiftl_pow in M2 by lia. rewrite <- M1 in U.
        replace (tval t) with (IZR (fst a) * pow2 (-120)) by lra. rewrite <- M2 at 1. rewrite mult_IZR, pow2_IZR, Rmult_assoc, <- bpow_plus by lia.
        now replace (e + -120)%Z with (e - 120)%Z by lia.
      * eapply Rle_trans; [exact A|]. apply Rle_trans with (IZR (1 * (2 ^ 24 * 2 ^ e)) * pow2 (-120)); [now apply up120, IZR_le|].
        rewrite Z.mul_1_l, mult_IZR, (pow2_IZR e) by lia. rewrite Rmult_assoc, <- bpow_plus. apply Rle_refl.
    + split; [exact Fr|]. apply narrow_sound. rewrite Vr. simpl. lra.
  - destruct (sums_error ts r F) as [Fr Er]; auto; [lia|].
    split; [exact Fr|]. apply narrow_sound. cbn [fst snd]. set (s := sizes l) in *. set (n := nonzeros l) in *.
    assert (Hs : (0 <= s)%Z) by apply sizes_pos. assert (Hn : (0 <= n)%Z) by apply nonzeros_pos.
    assert (Err : IZR (2 * nz ts) * (u * rabs ts + eta) <= IZR (Z.shiftr (n * s) 23 + 2) * pow2 (-120)).
    { pose proof (rabs_pos ts). pose proof (u_pos). pose proof eta_pos. pose proof (nz_pos ts).
      assert (0 <= u * rabs ts) by (apply Rmult_le_pos; lra).
      apply Rle_trans with (IZR (2 * n) * (u * (IZR s * pow2 (-120)) + eta)).
      { apply Rmult_le_compat; [apply IZR_le; lia|lra|apply IZR_le; lia|]. apply Rplus_le_compat_r, Rmult_le_compat_l; lra. }
      rewrite Z.shiftr_div_pow2 by lia.
      replace (IZR (n * s / 2 ^ 23 + 2)) with (IZR (n * s / 2 ^ 23 + 1) + 1) by (rewrite <- plus_IZR; f_equal; lia).
      rewrite Rmult_plus_distr_l, (Rmult_plus_distr_r _ 1). apply Rplus_le_compat.
      - replace (IZR (2 * n) * (u * (IZR s * pow2 (-120)))) with (IZR (2 * n) * u * IZR s * pow2 (-120)) by ring.
        apply up120. rewrite mult_IZR. replace (2 * IZR n * u * IZR s) with (IZR n * IZR s * (2 * u)) by ring.
        replace (2 * u) with (pow2 (-23)) by (change (-23)%Z with (1 + -24)%Z; rewrite bpow_plus; change (pow2 1) with 2; ring).
        apply Rmult_le_reg_r with (pow2 23); [apply bpow_gt_0|]. rewrite Rmult_assoc, <- bpow_plus. change (pow2 (-23 + 23)) with 1. rewrite Rmult_1_r.
        rewrite <- pow2_IZR, <- !mult_IZR by lia. apply IZR_le.
        pose proof (Z_div_mod_eq_full (n * s) (2 ^ 23)). pose proof (Z.mod_pos_bound (n * s) (2 ^ 23) eq_refl). lia.
      - apply Rle_trans with (IZR (2 ^ 23) * eta); [apply Rmult_le_compat_r; [lra|apply IZR_le; unfold most_terms in *; lia]|].
        rewrite pow2_IZR, <- bpow_plus, Rmult_1_l by lia. apply bpow_le. lia. }
    apply Rabs_le_inv in Er. set (err := (Z.shiftr (n * s) 23 + 2)%Z) in *. rewrite minus_IZR, plus_IZR, Rmult_minus_distr_r, Rmult_plus_distr_r. lra.
Qed.

(* Products. *)
Lemma scale_pos : forall c a b x, 0 <= c -> IZR a * pow2 (-60) <= x <= IZR b * pow2 (-60) ->
  c * IZR a * pow2 (-120) <= c * pow2 (-60) * x <= c * IZR b * pow2 (-120).
Proof.
  intros c a b x Hc [L H]. assert (P : 0 <= c * pow2 (-60)) by (apply Rmult_le_pos; [exact Hc|apply bpow_ge_0]).
  assert (E : forall z, c * IZR z * pow2 (-120) = c * pow2 (-60) * (IZR z * pow2 (-60))).
  { intros z. change (-120)%Z with (-60 + -60)%Z. rewrite bpow_plus. ring. }
  rewrite !E. split; apply Rmult_le_compat_l; assumption.
Qed.
Lemma scale_neg : forall c a b x, c <= 0 -> IZR a * pow2 (-60) <= x <= IZR b * pow2 (-60) ->
  c * IZR b * pow2 (-120) <= c * pow2 (-60) * x <= c * IZR a * pow2 (-120).
Proof. intros c a b x Hc H. pose proof (scale_pos (- c) a b x ltac:(lra) H). lra. Qed.

Lemma imul_sound : forall a b x y, holds a x -> holds b y -> tholds (imul a b) (P x y).
Proof.
  intros [al ah] [bl bh] x y (Fx & Lx & Hx) (Fy & Ly & Hy). unfold imul. cbn [fst snd] in *. split; [split; assumption|]. cbn [tval].
  destruct (Z.eqb_spec bl bh) as [E|E].
  { subst bh. assert (Y : val y = IZR bl * pow2 (-60)) by lra. rewrite Y.
    replace (val x * (IZR bl * pow2 (-60))) with (IZR bl * pow2 (-60) * val x) by ring.
    destruct (Z.leb_spec 0 bl); cbn [fst snd]; rewrite !mult_IZR, !(Rmult_comm _ (IZR bl)).
    - apply scale_pos; [now apply IZR_le|lra].
    - apply scale_neg; [apply IZR_le; lia|lra]. }
  destruct (Z.eqb_spec al ah) as [E2|E2].
  { subst ah. assert (X : val x = IZR al * pow2 (-60)) by lra. rewrite X.
    destruct (Z.leb_spec 0 al); cbn [fst snd]; rewrite !mult_IZR.
    - apply scale_pos; [now apply IZR_le|lra].
    - apply scale_neg; [apply IZR_le; lia|lra]. }
  cbn [fst snd]. rewrite opp_IZR, Ropp_mult_distr_l_reverse. apply Rabs_le_inv. rewrite Rabs_mult, mult_IZR.
  replace (IZR (size (al, ah)) * IZR (size (bl, bh)) * pow2 (-120)) with
    ((IZR (size (al, ah)) * pow2 (-60)) * (IZR (size (bl, bh)) * pow2 (-60)))
    by (change (-120)%Z with (-60 + -60)%Z; rewrite bpow_plus; ring).
  assert (M : forall l h z, IZR l * pow2 (-60) <= z <= IZR h * pow2 (-60) -> Rabs z <= IZR (size (l, h)) * pow2 (-60)).
  { intros l h z [L H]. apply Rabs_le. unfold size. cbn [fst snd]. split.
    - apply Rle_trans with (IZR l * pow2 (-60)); [|exact L]. rewrite <- Ropp_mult_distr_l_reverse, <- opp_IZR.
      apply Rmult_le_compat_r; [apply bpow_ge_0|apply IZR_le; lia].
    - apply Rle_trans with (IZR h * pow2 (-60)); [exact H|]. apply Rmult_le_compat_r; [apply bpow_ge_0|apply IZR_le; lia]. }
  apply Rmult_le_compat; try apply Rabs_pos; apply M; lra.
Qed.
Lemma wide_sound : forall a x, holds a x -> tholds (wide a) (V x).
Proof.
  intros [al ah] x (F & L & H). cbn [fst snd] in *. split; [exact F|]. unfold wide. cbn [fst snd tval]. rewrite !shiftl_pow, !mult_IZR, !pow2_IZR by lia.
  rewrite !Rmult_assoc, <- bpow_plus. change (60 + -120)%Z with (-60)%Z. lra.
Qed.

(* Weights. *)
Definition weight (d : dyadic) : option itv :=
  if ((Z.abs (fst d) <=? 2 ^ 24) && (-60 <=? snd d) && (snd d <=? 80))%Z
  then let z := Z.shiftl (fst d) (60 + snd d) in Some (z, z) else None.
Lemma weight_sound : forall d a, weight d = Some a -> holds a (fl d).
Proof.
  intros [m e] a. unfold weight. cbn [fst snd]. destruct ((Z.abs m <=? 2 ^ 24) && (-60 <=? e) && (e <=? 80))%Z eqn:C; [|discriminate].
  rewrite !andb_true_iff, !Z.leb_le in C. destruct C as ((C1 & C2) & C3). intros E. apply some_injective in E. subst a.
  destruct (of_Z_exact m e) as [F V]; [exact C1|lia|]. split; [exact F|]. unfold fl. cbn [fst snd]. rewrite V.
  rewrite shiftl_pow, mult_IZR, pow2_IZR, Rmult_assoc, <- bpow_plus by lia. replace (60 + e + -60)%Z with e by lia. lra.
Qed.
Fixpoint every {A B} (f : A -> option B) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | x :: r => match f x with None => None | Some y => match every f r with None => None | Some s => Some (y :: s) end end
  end.
Lemma every_sound : forall A B (f : A -> option B) l r, every f l = Some r -> Forall2 (fun x y => f x = Some y) l r.
Proof.
  induction l as [|x l IH]; simpl; intros r H; [inversion H; constructor|].
  destruct (f x) eqn:E; [|discriminate]. destruct (every f l); inversion H; subst. constructor; auto.
Qed.

(* Affine maps. *)
Definition terms_of (h row : list itv) : list itv := map (fun p => imul (fst p) (snd p)) (combine h row).
Lemma terms_sound : forall hs h ws w, Forall2 holds hs h -> Forall2 holds ws w -> Forall2 tholds (terms_of hs ws) (products h w).
Proof.
  intros hs h ws w H. revert ws w. induction H as [|a x hs h Hx H IH]; intros ws w W; [constructor|].
  unfold terms_of, products. inversion W; subst; simpl; constructor; [now apply imul_sound|]. now apply IH.
Qed.
Definition weights (row : list dyadic) : option (list itv) := every weight row.
Lemma weights_sound : forall row ws, weights row = Some ws -> Forall2 holds ws (map fl row).
Proof.
  intros row ws H. apply every_sound in H. induction H; simpl; constructor; auto. now apply weight_sound.
Qed.
(* The map with its weights as integers; it is made once. *)
Definition prepared := list (list itv * itv).
Definition prepare (m : affine) : option prepared :=
  every (fun p => match weights (fst p), weight (snd p) with Some w, Some b => Some (w, b) | _, _ => None end)
    (combine (rows m) (bias m)).
Definition represents (ps : prepared) (m : affine) : Prop :=
  Forall2 (fun p q => Forall2 holds (fst p) (map fl (fst q)) /\ holds (snd p) (fl (snd q))) ps (combine (rows m) (bias m)).
Lemma prepare_sound : forall m ps, prepare m = Some ps -> represents ps m.
Proof.
  intros m ps H. apply every_sound in H. unfold represents. induction H as [|q p l ps E _ IH]; constructor; auto.
  destruct (weights (fst q)) eqn:W; [|discriminate]. destruct (weight (snd q)) eqn:B; inversion E; subst.
  split; [now apply weights_sound|now apply weight_sound].
Qed.
Definition adds_itv (ps : prepared) (h x : list itv) : option (list itv) :=
  every (fun p => total (wide (fst p) :: wide (snd (snd p)) :: terms_of h (fst (snd p)))) (combine x ps).
Theorem adds_sound : forall ps m hs h xs x y ys, represents ps m -> Forall2 holds hs h -> Forall2 holds xs x ->
  adds_itv ps hs xs = Some ys -> adds m h x y -> Forall2 holds ys y.
Proof.
  intros ps m hs h xs x y ys R H X C A. apply every_sound in C. unfold adds in A. unfold represents in R.
  revert xs x y ys X C A. induction R as [|p q ps l (W & B) R IH]; intros xs x y ys X C A.
  - rewrite combine_nil in *. inversion C; subst. inversion A; subst. constructor.
  - inversion X as [|a z xs' x' Hz X' E1 E2]; subst.
    + simpl in *. inversion C; subst. inversion A; subst. constructor.
    + simpl in *. inversion C as [|? b ? bs Cb Cs]; subst. inversion A as [|? r ? rs Ar As]; subst. constructor.
      * simpl in *. eapply total_sound; [|exact Cb|exact Ar]. constructor; [now apply wide_sound|]. constructor; [now apply wide_sound|].
        now apply terms_sound.
      * eapply IH; eauto.
Qed.
Definition zero_itv : itv := (0, 0)%Z.
Lemma zero_holds : holds zero_itv fzero.
Proof. split; [reflexivity|]. cbn [fst snd zero_itv]. rewrite (proj2 fzero_is). lra. Qed.
Lemma zeros_hold : forall n, Forall2 holds (repeat zero_itv n) (repeat fzero n).
Proof. induction n; simpl; constructor; auto. apply zero_holds. Qed.
Definition maps_itv (ps : prepared) (h : list itv) : option (list itv) := adds_itv ps h (repeat zero_itv (length ps)).
Lemma maps_adds : forall ps m h y, represents ps m -> maps m h y -> adds m h (repeat fzero (length ps)) y.
Proof.
  intros ps m h y R A. unfold maps, adds in *. unfold represents in R. apply Forall2_length in R. rewrite R.
  enough (E : forall n, (length (rows m) <= n)%nat -> combine (repeat fzero n) (combine (rows m) (bias m)) =
    combine (repeat fzero (length (combine (rows m) (bias m)))) (combine (rows m) (bias m))) by (rewrite <- (E (length (rows m))); auto).
  generalize (rows m) (bias m). clear. intros l. induction l as [|a l IH]; intros l' n Hn; simpl; [destruct n; reflexivity|].
  destruct l'; simpl; [destruct n; reflexivity|]. destruct n; simpl in *; [lia|]. f_equal. apply IH. lia.
Qed.
Theorem maps_sound : forall ps m hs h y ys, represents ps m -> Forall2 holds hs h -> maps_itv ps hs = Some ys -> maps m h y ->
  Forall2 holds ys y.
Proof.
  intros ps m hs h y ys R H C A. eapply adds_sound; [exact R|exact H|apply (zeros_hold (length ps))|exact C|]. now apply maps_adds.
Qed.

(* ReLU and MLPs. *)
Definition relu_itv (a : itv) : itv := (Z.max 0 (fst a), Z.max 0 (snd a)).
Lemma relu_sound : forall a x, holds a x -> holds (relu_itv a) (relu x).
Proof.
  intros [l h] x (F & L & H). cbn [fst snd] in *. destruct (relu_is x F) as [Fr Vr]. split; [exact Fr|]. rewrite Vr. unfold relu_itv. cbn [fst snd].
  assert (K : forall z, IZR (Z.max 0 z) * pow2 (-60) = Rmax 0 (IZR z * pow2 (-60))).
  { intros z. pose proof (bpow_gt_0 radix2 (-60)). destruct (Z.le_gt_cases 0 z).
    - assert (0 <= IZR z * pow2 (-60)) by (apply Rmult_le_pos; [now apply IZR_le|lra]).
      rewrite Z.max_r by lia. rewrite Rmax_right by assumption. reflexivity.
    - rewrite Z.max_l by lia. assert (IZR z <= 0) by (apply IZR_le; lia).
      assert (IZR z * pow2 (-60) <= 0 * pow2 (-60)) by (apply Rmult_le_compat_r; lra).
      rewrite Rmax_left by lra. lra. }
  rewrite !K. split; apply Rle_max_compat_l; assumption.
Qed.
Lemma relus_sound : forall xs x, Forall2 holds xs x -> Forall2 holds (map relu_itv xs) (map relu x).
Proof. induction 1; simpl; constructor; auto. now apply relu_sound. Qed.

Definition prepared_mlp := option (list prepared * prepared).
Definition prepare_mlp (m : mlp) : option prepared_mlp :=
  match m with
  | None => Some None
  | Some (ms, last) => match every prepare ms, prepare last with Some ps, Some p => Some (Some (ps, p)) | _, _ => None end
  end.
Definition represents_mlp (p : prepared_mlp) (m : mlp) : Prop :=
  match p, m with
  | None, None => True
  | Some (ps, p), Some (ms, last) => Forall2 represents ps ms /\ represents p last
  | _, _ => False
  end.
Lemma prepare_mlp_sound : forall m p, prepare_mlp m = Some p -> represents_mlp p m.
Proof.
  intros [[ms last]|] p; simpl; intros H; [|inversion H; exact I].
  destruct (every prepare ms) eqn:E; [|discriminate]. destruct (prepare last) eqn:L; inversion H; subst. simpl. split; [|now apply prepare_sound].
  apply every_sound in E. clear -E. induction E; constructor; auto. now apply prepare_sound.
Qed.
Fixpoint hidden_itv (ps : list prepared) (x : list itv) : option (list itv) :=
  match ps with [] => Some x | p :: r => match maps_itv p x with None => None | Some y => hidden_itv r (map relu_itv y) end end.
Definition mlp_itv (p : prepared_mlp) (x : list itv) : option (list itv) :=
  match p with
  | None => Some x
  | Some (ps, last) => match hidden_itv ps x with None => None | Some h => adds_itv last h x end
  end.
Lemma hidden_sound : forall ps ms, Forall2 represents ps ms -> forall xs x h hs, Forall2 holds xs x -> hidden_itv ps xs = Some hs ->
  hidden ms x h -> Forall2 holds hs h.
Proof.
  induction 1 as [|p m ps ms R _ IH]; simpl; intros xs x h hs X C A; [inversion C; subst; exact X|].
  destruct (maps_itv p xs) eqn:E; [|discriminate]. destruct A as (y & My & A).
  eapply IH; [|exact C|exact A]. apply relus_sound. eapply maps_sound; eauto.
Qed.
Theorem mlp_sound : forall p m xs x y ys, represents_mlp p m -> Forall2 holds xs x -> mlp_itv p xs = Some ys -> after_mlp m x y ->
  Forall2 holds ys y.
Proof.
  intros [[ps last]|] [[ms l]|] xs x y ys R X C A; simpl in *; try contradiction.
  - destruct R as [R1 R2]. destruct (hidden_itv ps xs) eqn:E; [|discriminate]. destruct A as (h & Hh & A).
    exact (adds_sound _ _ _ _ _ _ _ _ R2 (hidden_sound _ _ R1 _ _ _ _ X E Hh) X C A).
  - inversion C; subst. exact X.
Qed.

(* Answers. *)
Definition highest (k : nat) (l : list itv) : bool :=
  (k <? length l)%nat && forallb (fun p => (fst p =? k)%nat || (snd (snd p) <? fst (nth k l zero_itv))%Z) (numbered l).
Lemma argmax_low : forall l i best b, fin b = true -> Forall (fun x => fin x = true /\ val x < val b) l -> argmax_from l i best b = best.
Proof.
  induction l as [|x l IH]; simpl; intros i best b Fb H; [reflexivity|]. inversion H as [|? ? [Fx Vx] Hl]; subst.
  rewrite Bltb_correct, Rlt_bool_false by (auto; lra). now apply IH.
Qed.
(* lia, with f32 and its definition taken as one type. *)
Ltac llia := change (binary_float prec emax) with f32 in *; lia.
Lemma argmax_high : forall l i best b k, fin b = true -> Forall (fun x => fin x = true) l -> (k < length l)%nat ->
  val b < val (nth k l fzero) -> (forall j, (j < length l)%nat -> j <> k -> val (nth j l fzero) < val (nth k l fzero)) ->
  argmax_from l i best b = (i + k)%nat.
Proof.
  induction l as [|x l IH]; intros i best b k Fb F Hk B Ab; simpl in Hk; [llia|]. inversion F as [|? ? Fx Fl]; subst. simpl.
  rewrite Bltb_correct by assumption. destruct k as [|k]; simpl in *.
  - rewrite Rlt_bool_true by exact B. rewrite Nat.add_0_r. apply argmax_low; [exact Fx|].
    apply Forall_forall. intros y Hy. apply (In_nth _ _ fzero) in Hy. destruct Hy as (j & Hj & <-). split.
    + rewrite Forall_forall in Fl. apply Fl. now apply nth_In.
    + apply (Ab (S j)); simpl; llia.
  - replace (i + S k)%nat with (S i + k)%nat by llia. pose proof (Ab 0%nat ltac:(simpl; llia) ltac:(llia)) as Ab0. simpl in Ab0.
    destruct (Rlt_bool (val b) (val x)); apply IH; auto; try llia; intros j Hj N; apply (Ab (S j)); simpl; llia.
Qed.
Lemma nth_numbered : forall A (l : list A) j d, (j < length l)%nat -> In (j, nth j l d) (numbered l).
Proof.
  intros A l j d H. unfold numbered. replace (j, nth j l d) with (nth j (combine (seq 0 (length l)) l) (O, d)).
  - apply nth_In. rewrite combine_length, seq_length. llia.
  - rewrite combine_nth by apply seq_length. rewrite seq_nth by exact H. reflexivity.
Qed.
Lemma Forall2_nth : forall A B (R : A -> B -> Prop) l l' a b j, Forall2 R l l' -> (j < length l)%nat -> R (nth j l a) (nth j l' b).
Proof.
  intros A B R l l' a b j H. revert j. induction H; intros [|j] Hj; simpl in *; auto; try llia. apply IHForall2. llia.
Qed.
Theorem argmax_sound : forall k ys y, Forall2 holds ys y -> highest k ys = true -> argmax y = k.
Proof.
  intros k ys y H C. unfold highest in C. apply andb_true_iff in C. destruct C as [K C]. apply Nat.ltb_lt in K. rewrite forallb_forall in C.
  pose proof (Forall2_length _ _ _ _ _ H) as L.
  assert (F : Forall (fun x => fin x = true) y) by (clear -H; induction H as [|? ? ? ? [F _]]; constructor; auto).
  assert (Ab : forall j, (j < length y)%nat -> j <> k -> val (nth j y fzero) < val (nth k y fzero)).
  { intros j Hj N. pose proof (Forall2_nth _ _ _ _ _ zero_itv fzero j H ltac:(llia)) as (_ & _ & Hj2).
    pose proof (Forall2_nth _ _ _ _ _ zero_itv fzero k H K) as (_ & Lk & _).
    specialize (C _ (nth_numbered _ ys j zero_itv ltac:(llia))). cbn [fst snd] in C. apply orb_true_iff in C.
    destruct C as [C|C]; [apply Nat.eqb_eq in C; contradiction|]. apply Z.ltb_lt in C. apply IZR_lt in C.
    pose proof (bpow_gt_0 radix2 (-60)).
    assert (IZR (snd (nth j ys zero_itv)) * pow2 (-60) < IZR (fst (nth k ys zero_itv)) * pow2 (-60)) by (apply Rmult_lt_compat_r; assumption).
    lra. }
  rewrite L in K. clear C H L ys. destruct y as [|x y]; simpl in K; [llia|]. inversion F as [|? ? Fx Fy]; subst. unfold argmax. destruct k as [|k].
  - apply argmax_low; auto. apply Forall_forall. intros z Hz. apply (In_nth _ _ fzero) in Hz. destruct Hz as (j & Hj & <-). split.
    + rewrite Forall_forall in Fy. apply Fy. now apply nth_In.
    + apply (Ab (S j)); simpl; llia.
  - change (S k) with (1 + k)%nat. apply argmax_high; auto; try llia.
    + apply (Ab 0%nat); simpl; llia.
    + intros j Hj N. apply (Ab (S j)); simpl; llia.
Qed.
