import { asCopy, type OutgoingFile, type OutgoingPiece } from "@gantry/sdk/channel";
import { isPhoto } from "./uploads.ts";

/** Of one album. */
const maxFiles = 10;

/** What goes out by one call. */
export type Piece = OutgoingPiece | { readonly album: readonly OutgoingFile[] } | SpokenPiece;

/** Words that are heard, which stand in the answer besides. */
export interface SpokenPiece {
  readonly spoken: string;
}

/** Returns the pieces with neighbouring pictures as one album, and neighbouring files of other kinds as one. */
export function inAlbums(pieces: readonly OutgoingPiece[]): readonly Piece[] {
  const grouped: Piece[] = [];
  let album: OutgoingFile[] = [];
  const flush = (): void => {
    const [first] = album;
    if (first !== undefined) grouped.push(album.length === 1 ? first : { album });
    album = [];
  };
  for (const piece of pieces) {
    const isFile = !("text" in piece);
    const [first] = album;
    if (!isFile || album.length === maxFiles || (first && isPhoto(first) !== isPhoto(piece))) flush();
    if (isFile) album.push(piece);
    else grouped.push(piece);
  }
  flush();
  return grouped;
}

/** Returns a piece as a copy of one that may have arrived; of an album the first caption says so. */
export function copyOf(piece: Piece): Piece {
  if ("spoken" in piece) return piece;
  if (!("album" in piece)) return asCopy(piece);
  const [first, ...rest] = piece.album;
  if (first === undefined) return piece;
  return { album: [asCopy(first) as OutgoingFile, ...rest] };
}
