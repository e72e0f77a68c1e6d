(* The programs that models are compared with: s-ops as integer expressions, selectors as expressions over two positions. *)
From Coq Require Import ZArith List Bool.
Import ListNotations.
Open Scope Z_scope.

(* The state of a position: token, index, length, then the values of the definitions so far. *)
Notation state := (list Z) (only parsing).
Inductive expr :=
  | Num (z : Z) | Here (c : nat) | There (c : nat)     (* a number; an entry of the query's state, of the key's *)
  | Plus (a b : expr) | Minus (a b : expr) | Times (a b : expr)
  | Equal (a b : expr) | Less (a b : expr) | Both (a b : expr) | Either (a b : expr) | Not (a : expr)
  | Choose (c a b : expr).
Definition truth (b : bool) : Z := if b then 1 else 0.
Definition holds_true (z : Z) : bool := negb (z =? 0).
Fixpoint value_of (q k : state) (e : expr) : Z :=
  match e with
  | Num z => z
  | Here c => nth c q 0
  | There c => nth c k 0
  | Plus a b => value_of q k a + value_of q k b
  | Minus a b => value_of q k a - value_of q k b
  | Times a b => value_of q k a * value_of q k b
  | Equal a b => truth (value_of q k a =? value_of q k b)
  | Less a b => truth (value_of q k a <? value_of q k b)
  | Both a b => truth (holds_true (value_of q k a) && holds_true (value_of q k b))
  | Either a b => truth (holds_true (value_of q k a) || holds_true (value_of q k b))
  | Not a => truth (negb (holds_true (value_of q k a)))
  | Choose c a b => if holds_true (value_of q k c) then value_of q k a else value_of q k b
  end.
Definition selects (s : expr) (q k : state) : bool := holds_true (value_of q k s).

Inductive definition :=
  | Count (s : expr)                       (* selector_width(s) *)
  | Total (v : expr)                       (* the sum of v over all positions: length * aggregate(full_s, v) *)
  | Pick (s v : expr) (default : Z).       (* aggregate(s, v) of a selector that selects at most one position *)
Definition sum_of (l : list Z) : Z := fold_right Z.add 0 l.
Definition defined (states : list state) (q : state) (d : definition) : Z :=
  match d with
  | Count s => Z.of_nat (length (filter (selects s q) states))
  | Total v => sum_of (map (fun k => value_of q k v) states)
  | Pick s v default => match filter (selects s q) states with [k] => value_of q k v | _ => default end
  end.
Record program := { definitions : list definition; answer : expr }.
Definition start (word : list nat) : list state :=
  map (fun p => [Z.of_nat (snd p); Z.of_nat (fst p); Z.of_nat (length word)]) (combine (seq 0 (length word)) word).
Definition extend (states : list state) (d : definition) : list state := map (fun q => q ++ [defined states q d]) states.
Definition states (p : program) (word : list nat) : list state := fold_left extend (definitions p) (start word).
Definition computes (p : program) (word : list nat) : list Z := map (fun q => value_of q q (answer p)) (states p word).
