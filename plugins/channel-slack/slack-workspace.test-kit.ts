import type { Params } from "./slack-limits.test-kit.ts";

export const botUser = "UBOT00001";
export const team = "T11111111";

export interface FakeChannel {
  readonly isMember: boolean;
  readonly isArchived?: boolean;
  readonly isPrivate?: boolean;
}

export interface FakeFile {
  readonly id: string;
  readonly name: string;
  readonly mimetype: string;
  readonly size: number;
  readonly bytes?: Uint8Array;
  readonly subtype?: string;
  /** The channels where it was shared. */
  readonly sharedIn: readonly string[];
}

/** People, channels, messages and files of a workspace; what happens in it is pushed as events. */
export abstract class SlackWorkspace {
  readonly channels: Map<string, FakeChannel> = new Map();
  readonly messages: Map<string, Params[]> = new Map();
  readonly files: Map<string, FakeFile> = new Map();
  readonly names: Map<string, string> = new Map();
  /** Channel, message and name of each reaction that is there. */
  readonly reactions: Set<string> = new Set();
  /**
   * As many messages stand on a page at most: 15 for apps that are sold outside of Slack's
   * marketplace.
   */
  maxPage = 999;
  /** The token that came with each download. */
  readonly downloads: string[] = [];
  readonly leaks: string[] = [];
  #clock = 1_700_000_000_000_000;
  #events = 0;

  abstract get origin(): string;

  /** Hands an envelope's body to whoever listens. */
  abstract push(id: string, body: object): void;

  /** A time that nothing else in the workspace has; not earlier than now, as Slack's are. */
  ts(): string {
    this.#clock = Math.max(this.#clock + 1, Date.now() * 1_000);
    return `${Math.floor(this.#clock / 1e6)}.${String(this.#clock % 1e6).padStart(6, "0")}`;
  }

  keep(channel: string, message: Params): Params {
    const list = this.messages.get(channel) ?? [];
    list.push(message);
    this.messages.set(channel, list);
    return message;
  }

  /**
   * Sends a person's message as the events that the app is subscribed to: one of the message, one
   * more if it names the app.
   */
  say(channel: string, message: Params): string {
    const ts = (message["ts"] as string | undefined) ?? this.ts();
    const text = String(message["text"] ?? "");
    const kept = { type: "message", team, text, ts, ...message };
    this.keep(channel, kept);
    const kind = channel.startsWith("D") ? "im" : "channel";
    const parent = this.messages.get(channel)?.find((one) => one["ts"] === message["thread_ts"]);
    const parent_user_id = parent?.["user"] as string | undefined;
    const about = { channel, event_ts: ts, ...(parent_user_id !== undefined && { parent_user_id }) };
    this.event(ts, { ...kept, ...about, channel_type: kind });
    if (kind === "channel" && text.includes(`<@${botUser}>`))
      this.event(ts, { ...kept, ...about, type: "app_mention" });
    return ts;
  }

  event(id: string, event: Params): void {
    const event_id = `Ev${(this.#events += 1)}`;
    const payload = { token: "x", team_id: team, api_app_id: "A1", type: "event_callback", event_id, event };
    this.push(id, { type: "events_api", payload });
  }

  /** A press of a button; gives what its acknowledgement is known by. */
  press(user: string, channel: string, message: Params, value: string): string {
    const id = `press-${(this.#events += 1)}`;
    const container = { type: "message", message_ts: message["ts"], channel_id: channel };
    const action = { type: "button", action_id: value, value, action_ts: this.ts() };
    const about = {
      type: "block_actions",
      team: { id: team },
      user: { id: user, team_id: team },
      api_app_id: "A1",
    };
    const payload = { ...about, container, channel: { id: channel }, message, actions: [action] };
    this.push(id, { type: "interactive", payload });
    return id;
  }

  addFile(file: Omit<FakeFile, "sharedIn">): FakeFile {
    const whole = { ...file, sharedIn: [] };
    this.files.set(file.id, whole);
    return whole;
  }
}
