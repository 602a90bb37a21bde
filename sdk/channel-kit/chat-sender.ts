import type { Logger } from "../contract/logger.ts";
import type { EditedMessage, OutgoingMessage, Sent } from "../messages/channel.ts";
import type { Speaker } from "../messages/speech.ts";
import type { Values } from "../store/store.ts";
import type { Albums, ChatPlatform, Delivery } from "./chat-platform.ts";
import type { ChannelHealth } from "./health.ts";
import {
  asCopy,
  inWords,
  outgoingPieces,
  type OutgoingFile,
  type OutgoingPiece,
  type PieceOptions,
} from "./outgoing-pieces.ts";
import { PlatformFailure, sentOf } from "./platform-failure.ts";
import type { PlatformMessage } from "./platform-message.ts";
import { sendInParts } from "./send-in-parts.ts";
import { spokenWords } from "./spoken-words.ts";

/** Words, a file or an album, which goes out by one call. */
type WrittenPiece = OutgoingPiece | { readonly album: readonly OutgoingFile[] };
/** The same, or words that are heard, which stand in the answer besides. */
type Piece = WrittenPiece | { readonly spoken: string };

/** The kinds of a failed check after which no copy is sent. */
const unanswered: ReadonlySet<string> = new Set(["away", "again"]);

export interface ChatSenderNeeds<Address, Message extends PlatformMessage> {
  readonly name: string;
  readonly title: string;
  readonly platform: ChatPlatform<Address, Message>;
  /** Undefined: the channel has no connection whose state it could tell. */
  readonly health: ChannelHealth | undefined;
  readonly log: Logger;
  readonly speaker: Speaker | undefined;
  readonly open: PieceOptions["open"];
  values(): Values;
}

/** Sends answers: words, in several messages if they are long, files, and speech. */
export class ChatSender<Address, Message extends PlatformMessage> {
  readonly #needs: ChatSenderNeeds<Address, Message>;

  constructor(needs: ChatSenderNeeds<Address, Message>) {
    this.#needs = needs;
  }

  /** Never throws. */
  async send(message: OutgoingMessage, signal: AbortSignal): Promise<Sent> {
    const { name, title, platform, values } = this.#needs;
    const { to, key, earlier } = message;
    const address = platform.readAddress(to);
    if (address === undefined)
      return { status: "refused", reason: `${JSON.stringify(to)} is no address on ${title}` };
    const find = (piece: Piece, index: number) => this.#find(piece, { address, key, index, signal });
    const copies = platform.sendsOnce ? {} : { earlier, again: copyOf, ...(platform.find && { find }) };
    let last: Sent = { status: "sent" };
    return sendInParts<Piece>({
      values: values(),
      space: `${name}.parts`,
      key,
      ...copies,
      away: () => this.#away(signal),
      parts: await this.#pieces(message),
      apart: (piece) => ("album" in piece ? piece.album : undefined),
      instead: (piece, reason) =>
        "album" in piece || "spoken" in piece ? undefined : inWords(piece, reason),
      send: async (piece, index) => {
        const delivery = { address, key, index, signal };
        if ("spoken" in piece) await this.#speak(piece.spoken, delivery);
        else last = await this.#sendPiece(piece, delivery);
        return last;
      },
    });
  }

  /** Never throws. What is too long for one message is cut. */
  async edit({ to, id, parts }: EditedMessage, signal: AbortSignal): Promise<Sent> {
    const { platform, title } = this.#needs;
    const address = platform.readAddress(to);
    if (address === undefined || platform.messageForm?.test(id) !== true)
      return { status: "refused", reason: `${JSON.stringify(id)} is no message on ${title}` };
    return sentOf(async () => {
      await platform.edit?.({ address, id }, parts, signal);
      return id;
    });
  }

  async #pieces({ parts, inReplyTo }: OutgoingMessage): Promise<readonly Piece[]> {
    const { platform, open, speaker } = this.#needs;
    const { albums, text } = platform;
    const pieces = await outgoingPieces(parts, { ...text, open });
    const grouped = albums ? inAlbums(pieces, albums) : pieces;
    if (!platform.speak || inReplyTo === undefined) return grouped;
    const spoken = await spokenWords(parts, speaker);
    return spoken === undefined ? grouped : [...grouped, { spoken }];
  }

  #sendPiece(piece: WrittenPiece, delivery: Delivery<Address>): Promise<Sent> {
    const { platform } = this.#needs;
    return sentOf(async () => {
      try {
        if (!("album" in piece)) return await platform.send(piece, delivery);
        return await (platform.albums as Albums<Address>).send(piece.album, delivery);
      } catch (error) {
        this.#tell(error);
        throw error;
      }
    });
  }

  /** Returns why the platform takes nothing now. Without a connection, it is asked. */
  async #away(signal: AbortSignal): Promise<string | undefined> {
    const { health, platform, title } = this.#needs;
    if (health) return health.state === "waiting" ? `${title} does not answer` : undefined;
    try {
      await platform.check(signal);
    } catch (error) {
      if (error instanceof PlatformFailure && unanswered.has(error.kind)) return error.message;
    }
    return undefined;
  }

  async #find(piece: Piece, delivery: Delivery<Address>): Promise<Sent | "absent" | undefined> {
    if (!("text" in piece)) return undefined;
    let id: string | undefined;
    const found = await sentOf(async () => (id = await this.#needs.platform.find?.(delivery)) ?? "");
    if (found.status === "sent" && id === undefined) return "absent";
    return found.status === "refused" ? undefined : found;
  }

  #tell(error: unknown): void {
    const { health } = this.#needs;
    if (!(error instanceof PlatformFailure)) return;
    if (error.kind === "account") health?.refused(error.message);
    if (error.kind === "paused") health?.notices(error.message);
  }

  /** The answer is there in words, so one that cannot be spoken is not sent again. Never throws. */
  async #speak(words: string, delivery: Delivery<Address>): Promise<void> {
    const { log, title, speaker, platform } = this.#needs;
    try {
      const speech = await speaker?.speak(words, delivery.signal);
      if (speech) await platform.speak?.(speech, delivery);
    } catch (error) {
      const cause = (error as Error).message;
      log.warn({ cause }, `An answer on ${title} was sent without its speech.`);
    }
  }
}

/** Returns the pieces with neighbouring files as albums, if the platform shows them as one. */
function inAlbums<Address>(pieces: readonly OutgoingPiece[], { holds }: Albums<Address>): readonly Piece[] {
  const grouped: Piece[] = [];
  for (const piece of pieces) {
    const last = grouped.at(-1);
    if ("text" in piece) grouped.push(piece);
    else if (last && "album" in last && holds(last.album, piece))
      grouped.splice(-1, 1, { album: [...last.album, piece] });
    else grouped.push({ album: [piece] });
  }
  return grouped.map((piece) => {
    if (!("album" in piece) || piece.album.length > 1) return piece;
    return piece.album[0] as OutgoingFile;
  });
}

/** Returns a piece as a copy of one that may have arrived; an album says so at its first file. */
function copyOf(piece: Piece): Piece {
  if ("spoken" in piece) return piece;
  if (!("album" in piece)) return asCopy(piece);
  const [first, ...rest] = piece.album;
  if (first === undefined) return piece;
  return { album: [asCopy(first) as OutgoingFile, ...rest] };
}
