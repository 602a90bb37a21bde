import type { Channel, Sent, Values } from "@gantry/sdk";
import {
  asCopy,
  copyRoom,
  inWords,
  outgoingPieces,
  sendInParts,
  type OutgoingPiece,
  type PieceOptions,
} from "@gantry/sdk/channel";
import { readAddress } from "./address.ts";
import type { Graph } from "./graph.ts";
import { literal } from "./literal.ts";
import { lengthOf, renderCaption, renderChat } from "./render.ts";

/** The platform's bounds, in characters: https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages */
const maxText = 4_096 - copyRoom;
const maxCaption = 1_024;
/** A picture is shown up to this size; a larger one goes as a file. */
const maxImageBytes = 5 * 1024 * 1024;

/** Sends a reply, in several messages if it is long, and its files as pictures and documents. */
export function createSender(
  graph: Graph,
  values: () => Values,
  open: PieceOptions["open"],
): Channel["send"] {
  return async ({ to, parts, key, earlier }, signal) => {
    const number = readAddress(to)?.to;
    if (number === undefined) return { status: "refused", reason: `${JSON.stringify(to)} is no number` };
    return sendInParts({
      values: values(),
      space: "chatapp.parts",
      key,
      earlier,
      parts: await outgoingPieces(parts, { open, max: maxText, size: (piece) => lengthOf(piece, literal) }),
      again: asCopy,
      away: () => graph.away(signal),
      instead: inWords,
      send: (piece) => deliver(graph, number, piece, signal),
    });
  };
}

async function deliver(graph: Graph, to: string, piece: OutgoingPiece, signal: AbortSignal): Promise<Sent> {
  if ("text" in piece) {
    const body = piece.verbatim ? literal(piece.text.text) : renderChat(piece.text);
    return graph.send(to, { type: "text", text: { preview_url: false, body } }, signal);
  }
  const { mime, name = "file", alt = "" } = piece.media;
  const uploaded = await graph.upload(piece.bytes, { mime, name }, signal);
  if (typeof uploaded !== "string") return uploaded;
  const caption = alt === "" ? {} : { caption: renderCaption(alt).slice(0, maxCaption).toWellFormed() };
  const isImage = /^image\/(?:png|jpeg)$/.test(mime) && piece.bytes.length <= maxImageBytes;
  if (isImage) return graph.send(to, { type: "image", image: { id: uploaded, ...caption } }, signal);
  const document = { id: uploaded, filename: name, ...caption };
  return graph.send(to, { type: "document", document }, signal);
}
