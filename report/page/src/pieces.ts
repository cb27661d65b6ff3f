// The coloured pieces of a text, as they pass from the worker to the page.

/// A piece of a line: its kind ('' for plain), and its length in UTF-16 units.
export type Piece = [kind: string, length: number];

/// The pieces of all lines in few arrays, which pass from the worker to the page without work: those of the line with
/// index l are from starts[l] to starts[l + 1], two numbers each, its kind's index and its length.
export interface Coloured {
  kinds: string[];
  starts: Uint32Array;
  pieces: Uint32Array;
}

export function piecesOf({kinds, starts, pieces}: Coloured, line: number): Piece[] {
  const found: Piece[] = [];
  for (let at = starts[line]; at < starts[line + 1]; ++at)
    found.push([kinds[pieces[2 * at]], pieces[2 * at + 1]]);
  return found;
}
