(* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only *)
(* Recursion that is no tail call, exceptions that pass many frames, functions that call back, and the runtime's C below them,
   without end. deep.graph says who calls whom. *)

exception Found of int

let sink = ref 0

let[@inline never] burn () =
  for i = 0 to 4000 do
    sink := (!sink * 1103515245 + i) land 0xffffffff
  done

let[@inline never] rec descend depth =
  if depth = 0 then (burn (); 0) else 1 + descend (depth - 1)

let[@inline never] rec seek depth =
  burn ();
  if depth = 0 then raise (Found !sink);
  1 + seek (depth - 1)

let[@inline never] catches () =
  try seek 10 with Found n -> n land 7

let[@inline never] each n =
  burn ();
  n + 1

let[@inline never] maps () =
  List.length (List.map each [1; 2; 3; 4; 5; 6; 7; 8])

let[@inline never] hashes () =
  let table = Hashtbl.create 16 in
  for i = 0 to 200 do
    Hashtbl.replace table (string_of_int i) (Array.make (i land 15) i)
  done;
  Hashtbl.length table

let () =
  while descend 40 + catches () + maps () + hashes () > 0 do () done
