(* The theorems are not empty: every model has a run on every word, whatever exp is. *)
From Coq Require Import ZArith List Permutation.
From Capax Require Import Binary32 Sums Softmax Network.
Import ListNotations.

Lemma sums_exist : forall ts, exists r, sums ts r.
Proof.
  intros ts. set (t := fold_right (fun x acc => Add (Leaf x) acc) (Leaf (V fzero)) ts). exists (eval t), 1%nat, t. split; [|reflexivity].
  assert (E : terms t = ts ++ [V fzero]) by (unfold t; induction ts as [|x ts IH]; simpl; [reflexivity|]; now rewrite IH).
  rewrite E. exact (Permutation_app_comm ts [V fzero]).
Qed.
Lemma Forall2_exist : forall A B (R : A -> B -> Prop), (forall x, exists y, R x y) -> forall l, exists l', Forall2 R l l'.
Proof.
  intros A B R H l. induction l as [|x l (l' & IH)]; [exists []; constructor|]. destruct (H x) as (y & Hy). exists (y :: l'). now constructor.
Qed.
Lemma adds_exist : forall m h x, exists y, adds m h x y.
Proof. intros. apply Forall2_exist. intros. apply sums_exist. Qed.
Lemma hidden_exist : forall ms x, exists h, hidden ms x h.
Proof.
  induction ms as [|m ms IH]; intros x; simpl; [now exists x|]. destruct (adds_exist m x (repeat fzero (length (rows m)))) as (y & Hy).
  destruct (IH (map relu y)) as (h & Hh). exists h, y. now split.
Qed.
Lemma mlp_exist : forall m x, exists y, after_mlp m x y.
Proof.
  intros [[ms last]|] x; simpl; [|now exists x]. destruct (hidden_exist ms x) as (h & Hh). destruct (adds_exist last h x) as (y & Hy). exists y, h. now split.
Qed.
Lemma mean_exist : forall e scores values, exists r, mean_of e scores values r.
Proof.
  intros e scores values. unfold mean_of. destruct (sums_exist (map V (map (fun s => e (fsub s (top scores))) scores))) as (z & Hz).
  destruct (sums_exist (products (map (fun s => e (fsub s (top scores))) scores) values)) as (num & Hn).
  exists (fdiv num z), z. split; [exact Hz|]. left. exists num. now split.
Qed.
Lemma head_exists : forall e h xs, exists zs, head_runs e h xs zs.
Proof.
  intros e h xs. unfold head_runs.
  destruct (Forall2_exist _ _ (queries h)) with (l := xs) as (qs & Hq).
  { intros x. destruct (adds_exist (query h) x (repeat fzero (length (rows (query h))))) as (y & Hy). exists (map (fmul (fl (scale h))) y), y. now split. }
  destruct (Forall2_exist _ _ (maps (key_map h)) (fun x => adds_exist _ x _) xs) as (ks & Hk).
  destruct (Forall2_exist _ _ (maps (value_map h)) (fun x => adds_exist _ x _) xs) as (vs & Hv).
  destruct (Forall2_exist _ _ (fun iq z => attends e h ks vs (fst iq) (snd iq) z)) with (l := numbered qs) as (zs & Hz).
  { intros [i q]. unfold attends. cbn [fst snd].
    destruct (Forall2_exist _ _ (fun k s => sums (products q k) s) (fun k => sums_exist _)
      (with_sink (visible (head_mask h) i ks) (option_map (fun s => map fl (fst s)) (sink h)))) as (scores & Hs).
    destruct (Forall2_exist _ _ (fun c r => mean_of e scores (column c (with_sink (visible (head_mask h) i vs) (option_map (fun s => map fl (snd s)) (sink h)))) r)
      (fun c => mean_exist e scores _) (seq 0 (length (rows (value_map h))))) as (z & Hz).
    exists z, scores. now split. }
  exists zs, qs, ks, vs. auto.
Qed.
Lemma block_exists : forall e b xs, exists ys, block_runs e b xs ys.
Proof.
  intros e b xs. destruct (Forall2_exist _ _ (fun h zs => head_runs e h xs zs) (fun h => head_exists e h xs) (heads b)) as (zss & Hz).
  destruct (Forall2_exist _ _ (fun ix y => adds (out b) (written zss (fst ix)) (snd ix) y) (fun ix => adds_exist _ _ _) (numbered xs)) as (mid & Hm).
  destruct (Forall2_exist _ _ (after_mlp (block_mlp b)) (mlp_exist _) mid) as (ys & Hy). exists ys, zss, mid. auto.
Qed.
Theorem runs_exist : forall e m word, exists logits, runs e m word logits.
Proof.
  intros e m word. destruct (Forall2_exist _ _ (fun it x => embedded m (fst it) (snd it) x) (fun it => adds_exist _ _ _) (numbered word)) as (x0 & H0).
  destruct (Forall2_exist _ _ (after_mlp (input_mlp m)) (mlp_exist _) x0) as (x1 & H1).
  assert (B : forall bs xs, exists ys, blocks_run e bs xs ys).
  { induction bs as [|b bs IH]; intros xs; simpl; [now exists xs|]. destruct (block_exists e b xs) as (mid & Hm). destruct (IH mid) as (ys & Hy). exists ys, mid. now split. }
  destruct (B (blocks m) x1) as (x2 & H2). destruct (Forall2_exist _ _ (maps (readout m)) (fun x => adds_exist _ x _) x2) as (logits & H3).
  exists logits, x0, x1, x2. auto.
Qed.
