(* What a model computes: a relation between a word and its logits that leaves every order of summation open. *)
From Coq Require Import ZArith Reals List Lia Lra Bool.
From Flocq Require Import Core BinarySingleNaN.
From Capax Require Import Binary32 Sums Softmax.
Import ListNotations.

(* A weight as the file has it: (m, e) is m * 2^e. *)
Definition dyadic := (Z * Z)%type.
Definition fl (d : dyadic) : f32 := of_Z (fst d) (snd d).
Record affine := { rows : list (list dyadic); bias : list dyadic }.   (* a row of weights for each output *)

Inductive mask := Everything | Causal | StrictPast | Future | StrictFuture.
Definition sees (m : mask) (i j : nat) : bool :=
  match m with
  | Everything => true
  | Causal => j <=? i
  | StrictPast => j <? i
  | Future => i <=? j
  | StrictFuture => i <? j
  end%nat.
Record head := {
  query : affine; key_map : affine; value_map : affine; sink : option (list dyadic * list dyadic);
  head_mask : mask; scale : dyadic }.
Definition mlp := option (list affine * affine).                     (* hidden stages, and the last map *)
Record block := { heads : list head; out : affine; block_mlp : mlp }.
Inductive feature := One | Position | Square.
Record model := {
  embedding : list (list dyadic); features : list feature; positions : list (list dyadic);
  table : list (list dyadic); input_mlp : mlp; blocks : list block; readout : affine }.

Notation vec := (list f32).

(* y = x + m h: each number is a sum, in any order, of the old number, the bias and the products. *)
Definition linear (x b : f32) (h row : vec) (r : f32) : Prop := sums (V x :: V b :: products h row) r.
Definition adds (m : affine) (h x y : vec) : Prop :=
  Forall2 (fun p r => linear (fst p) (fl (snd (snd p))) h (map fl (fst (snd p))) r)
    (combine x (combine (rows m) (bias m))) y.
Definition maps (m : affine) (h y : vec) : Prop := adds m h (repeat fzero (length (rows m))) y.

Fixpoint hidden (ms : list affine) (x h : vec) : Prop :=
  match ms with [] => h = x | m :: r => exists y, maps m x y /\ hidden r (map relu y) h end.
Definition after_mlp (m : mlp) (x y : vec) : Prop :=
  match m with None => y = x | Some (ms, last) => exists h, hidden ms x h /\ adds last h x y end.

Definition feature_at (i : nat) (f : feature) : Z :=
  match f with One => 1 | Position => Z.of_nat i | Square => Z.of_nat i * Z.of_nat i end%Z.
Definition position_map (m : model) (i : nat) : affine :=
  {| rows := positions m; bias := nth i (table m) (repeat (0, 0)%Z (length (positions m))) |}.
Definition embedded (m : model) (i token : nat) (x : vec) : Prop :=
  adds (position_map m i) (map (fun f => of_Z (feature_at i f) 0) (features m)) (map fl (nth token (embedding m) [])) x.

(* The keys that query i sees, with their positions dropped. *)
Definition numbered {A} (l : list A) : list (nat * A) := combine (seq 0 (length l)) l.
Definition visible {A} (m : mask) (i : nat) (l : list A) : list A :=
  map snd (filter (fun p => sees m i (fst p)) (numbered l)).
Definition with_sink {A} (l : list A) (s : option A) : list A := match s with None => l | Some x => l ++ [x] end.
Definition column (c : nat) (vs : list vec) : vec := map (fun v => nth c v fzero) vs.

Definition queries (h : head) (x q : vec) : Prop := exists y, maps (query h) x y /\ q = map (fmul (fl (scale h))) y.
Definition attends (e : f32 -> f32) (h : head) (ks vs : list vec) (i : nat) (q z : vec) : Prop :=
  exists scores,
    Forall2 (fun k s => sums (products q k) s) (with_sink (visible (head_mask h) i ks) (option_map (fun s => map fl (fst s)) (sink h))) scores /\
    Forall2 (fun c r => mean_of e scores (column c (with_sink (visible (head_mask h) i vs) (option_map (fun s => map fl (snd s)) (sink h)))) r)
      (seq 0 (length (rows (value_map h)))) z.
Definition head_runs (e : f32 -> f32) (h : head) (xs zs : list vec) : Prop :=
  exists qs ks vs, Forall2 (queries h) xs qs /\ Forall2 (maps (key_map h)) xs ks /\ Forall2 (maps (value_map h)) xs vs /\
    Forall2 (fun iq z => attends e h ks vs (fst iq) (snd iq) z) (numbered qs) zs.
(* What the heads write at position i, one after the other. *)
Definition written (zss : list (list vec)) (i : nat) : vec := concat (map (fun zs => nth i zs []) zss).
Definition block_runs (e : f32 -> f32) (b : block) (xs ys : list vec) : Prop :=
  exists zss mid, Forall2 (fun h zs => head_runs e h xs zs) (heads b) zss /\
    Forall2 (fun ix y => adds (out b) (written zss (fst ix)) (snd ix) y) (numbered xs) mid /\
    Forall2 (after_mlp (block_mlp b)) mid ys.
Fixpoint blocks_run (e : f32 -> f32) (bs : list block) (xs ys : list vec) : Prop :=
  match bs with [] => ys = xs | b :: r => exists mid, block_runs e b xs mid /\ blocks_run e r mid ys end.

Definition runs (e : f32 -> f32) (m : model) (word : list nat) (logits : list vec) : Prop :=
  exists x0 x1 x2, Forall2 (fun it x => embedded m (fst it) (snd it) x) (numbered word) x0 /\
    Forall2 (after_mlp (input_mlp m)) x0 x1 /\ blocks_run e (blocks m) x1 x2 /\ Forall2 (maps (readout m)) x2 logits.

(* The answer: the class with the highest logit, of equal ones the first. *)
Fixpoint argmax_from (l : vec) (i best : nat) (b : f32) : nat :=
  match l with [] => best | x :: r => if Bltb b x then argmax_from r (S i) i x else argmax_from r (S i) best b end.
Definition argmax (l : vec) : nat := match l with [] => O | x :: r => argmax_from r 1 0 x end.
Definition answers (classes : list Z) (logits : list vec) : list Z := map (fun l => nth (argmax l) classes 0%Z) logits.
