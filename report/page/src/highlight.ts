// Highlights source text by Prism's grammars. Prism gives a tree of tokens; here it becomes, for
// each line, pieces that are shown as text.
import './prism-settings';
import Prism from 'prismjs/components/prism-core';
import 'prismjs/components/prism-clike';
import 'prismjs/components/prism-c';
import 'prismjs/components/prism-cpp';
import 'prismjs/components/prism-fortran';
import type {Coloured} from './pieces';

const cuda = Prism.languages.extend('cpp', {});
Prism.languages.insertBefore('inside', 'keyword', {
  'cuda': {
    pattern: /\b__(?:global|device|host|shared|constant|managed|restrict|launch_bounds|forceinline|noinline)__\b|\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize)\b/,
    alias: 'keyword',
  },
}, {inside: cuda});

function grammarOf(path: string): Prism.Grammar | null {
  const ending = path.slice(path.lastIndexOf('.') + 1);
  if (/^(cu|cuh)$/.test(ending))
    return cuda;
  if (/^[fF](90|95|03|08|18|or|pp)?$/.test(ending))
    return Prism.languages.fortran;
  if (ending === 'c')
    return Prism.languages.c;
  return /^(cc|cpp|cxx|c\+\+|C|h|hh|hpp|hxx|h\+\+|inc|inl|ipp|tcc)$/.test(ending) || !ending.includes('/')
             ? Prism.languages.cpp : null;
}

/// Nothing where the language is not known.
export function highlighted(path: string, text: string): Coloured | null {
  const grammar = grammarOf(path);
  if (!grammar)
    return null;
  const kinds = new Map<string, number>(), starts = [0], pieces: number[] = [];
  const add = (kind: string, part: string) => {
    if (!kinds.has(kind))
      kinds.set(kind, kinds.size);
    part.split('\n').forEach((piece, at) => {
      if (at)
        starts.push(pieces.length / 2);
      if (piece)
        pieces.push(kinds.get(kind)!, piece.length);
    });
  };
  const walk = (tokens: Prism.TokenStream, kind: string) => {
    if (typeof tokens === 'string')
      return add(kind, tokens);
    if (Array.isArray(tokens))
      return tokens.forEach(each => walk(each, kind));
    walk(tokens.content, typeof tokens.alias === 'string' ? tokens.alias : tokens.type);
  };
  walk(Prism.tokenize(text, grammar), '');
  starts.push(pieces.length / 2);
  return {kinds: [...kinds.keys()], starts: Uint32Array.from(starts), pieces: Uint32Array.from(pieces)};
}
