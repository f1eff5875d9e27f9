import { Fragment, memo, type ReactNode } from 'react';
import type { Piece } from '../../shared/contract/display.ts';
import { blocks } from './blocks.ts';
import { directionRuns } from './directions.ts';

/** About as much as fills a tall window; longer text is laid out block by block, only where it is in view. */
const BLOCK = 4_000;

/**
 * Text from outside. It becomes text nodes and nothing else: a chip for what cannot be seen, a mark for what the guard matched, a sign and a
 * new line for a line break. Pieces are isolated from each other, so that no direction of writing reaches over a chip.
 */
export const Pieces = memo(function Pieces({ pieces }: { readonly pieces: readonly Piece[] }): ReactNode {
  const cut = blocks(pieces, BLOCK);
  if (cut.length <= 1) return <Run pieces={pieces} />;
  return cut.map((block, index) => <span key={index} className="block"><Run pieces={block} /></span>);
});

function Run({ pieces }: { readonly pieces: readonly Piece[] }): ReactNode {
  return pieces.map((piece, index) => <One key={index} piece={piece} />);
}

function One({ piece }: { readonly piece: Piece }): ReactNode {
  const content = piece.kind === 'text' ? <Text text={piece.text} /> : piece.kind === 'chip' ? <span className="chip">{piece.text}</span> : <LineBreak />;
  return piece.marked ? <mark>{content}</mark> : content;
}

const Text = ({ text }: { readonly text: string }): ReactNode => directionRuns(text).map((run, index) => <bdi key={index}>{run.text}</bdi>);

/** A line break of the value. Its sign tells it from the end of a line that was only too long. */
const LineBreak = (): ReactNode => <><span className="break" aria-label="line break" role="img">↵</span>{'\n'}</>;

/** A path. It may go on in a new line after a dot or before a bracket. */
export function Path({ pieces }: { readonly pieces: readonly Piece[] }): ReactNode {
  return pieces.map((piece, index) => piece.kind !== 'text'
    ? <One key={index} piece={piece} />
    : piece.text.split(/(?<=\.)|(?=\[)/).map((part, at) => <Fragment key={`${index}.${at}`}>{at > 0 && <wbr />}<One piece={{ ...piece, text: part }} /></Fragment>));
}

/** The same as plain text, for names that only assistive technology reads. */
export const plain = (pieces: readonly Piece[]): string => pieces.map((piece) => (piece.kind === 'break' ? ' ' : piece.kind === 'chip' ? `‹${piece.text}›` : piece.text)).join('');
