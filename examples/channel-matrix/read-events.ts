import { trustOf, type Attachment, type PlatformMessage } from "@gantry/sdk/channel";
import type { Settings } from "./settings.ts";

/** The part of `GET /sync` that a channel reads; everything may be missing. */
export interface Sync {
  readonly next_batch: string;
  readonly rooms?: {
    readonly join?: Readonly<Record<string, { readonly timeline?: { readonly events?: readonly Event[] } }>>;
    readonly invite?: Readonly<
      Record<string, { readonly invite_state?: { readonly events?: readonly Event[] } }>
    >;
  };
}

export interface Event {
  readonly type?: string;
  readonly event_id?: string;
  readonly sender?: string;
  readonly origin_server_ts?: number;
  readonly content?: {
    readonly msgtype?: string;
    readonly body?: string;
    readonly "m.mentions"?: { readonly user_ids?: readonly string[] };
    readonly "m.relates_to"?: { readonly rel_type?: string; readonly event_id?: string };
  };
}

/** A room as its members make it: with one other person it is a direct chat. */
export interface Room {
  readonly id: string;
  readonly isDirect: boolean;
}

export interface RoomAddress {
  readonly room: string;
  readonly thread?: string;
}

export type RoomMessage = PlatformMessage<RoomAddress, Attachment>;

/** Returns the message of an event; undefined if no person wrote it. Bots write `m.notice`, which nobody answers. */
export function readEvent(event: Event, { id: room, isDirect }: Room, me: string): RoomMessage | undefined {
  const { type, event_id: id, sender, content = {}, origin_server_ts = Date.now() } = event;
  const { msgtype, body } = content;
  if (type !== "m.room.message" || msgtype !== "m.text" || typeof body !== "string") return undefined;
  if (id === undefined || sender === undefined || sender === me) return undefined;

  const { rel_type, event_id: root } = content["m.relates_to"] ?? {};
  const thread = rel_type === "m.thread" && root !== undefined ? { thread: root } : {};
  return {
    id,
    timestamp: Math.floor(origin_server_ts / 1_000),
    sender: { id: sender },
    conversation: { id: room, kind: isDirect ? "direct" : "group", ...thread },
    replyTo: { room, ...thread },
    text: body,
    quoted: [],
    mentioned: content["m.mentions"]?.user_ids?.includes(me) === true || body.includes(me),
    files: [],
  };
}

/** Rooms that somebody who may write asks the agent into. */
export function invitations({ rooms }: Sync, { people }: Settings): readonly string[] {
  return Object.entries(rooms?.invite ?? {})
    .filter(([, { invite_state }]) =>
      invite_state?.events?.some(({ sender = "" }) => trustOf(sender, people) !== undefined),
    )
    .map(([room]) => room);
}
