import {
  troubleOf,
  type ChannelHealth,
  type ChatFrame,
  type ChatHost,
  type ConnectionOptions,
  type Trouble,
} from "@gantry/sdk/channel";
import type { MatrixApi } from "./api.ts";
import { invitations, readEvent, type RoomAddress, type RoomMessage, type Sync } from "./read-events.ts";
import type { Settings } from "./settings.ts";

const pollMs = 30_000;
const space = "matrix.since";

export interface ReceiverNeeds extends Pick<ChatHost, "health" | "values"> {
  readonly api: MatrixApi;
  readonly settings: Settings;
  readonly frame: ChatFrame<RoomAddress, RoomMessage>;
}

/** Long polling: the homeserver is asked for what follows only once what it gave is on disk. */
export class Receiver implements ConnectionOptions {
  readonly health: ChannelHealth;
  readonly watchdogMs: number = 2 * pollMs;
  readonly #needs: ReceiverNeeds;

  constructor(needs: ReceiverNeeds) {
    this.#needs = needs;
    this.health = needs.health;
  }

  async run(signal: AbortSignal, alive: () => void): Promise<void> {
    const { api, health, frame, settings, values } = this.#needs;
    const me = await api.whoAmI(signal);
    let since = await values().get<string>(space, me);
    while (!signal.aborted) {
      const timeout = since === undefined ? 0 : pollMs;
      const query = new URLSearchParams({ timeout: String(timeout), ...(since !== undefined && { since }) });
      const sync: Sync = await api.call("GET", `/sync?${query}`, signal, undefined, pollMs + 15_000);
      alive();
      health.up();
      // Messages from before the first start are not answered.
      const messages = since === undefined ? [] : await this.#messages(sync, me, signal);
      if (messages.length > 0) {
        health.event();
        await frame.take(messages, signal);
      }
      for (const room of invitations(sync, settings))
        await api.call("POST", `/join/${encodeURIComponent(room)}`, signal, {});
      since = sync.next_batch;
      await values().put(space, me, since);
    }
  }

  judge(error: unknown): Trouble {
    return troubleOf(error);
  }

  async #messages({ rooms }: Sync, me: string, signal: AbortSignal): Promise<readonly RoomMessage[]> {
    const { api, frame } = this.#needs;
    const found: RoomMessage[] = [];
    for (const [id, { timeline }] of Object.entries(rooms?.join ?? {})) {
      const path = `/rooms/${encodeURIComponent(id)}/joined_members`;
      const { joined } = await api.call<{ joined: object }>("GET", path, signal);
      const room = { id, isDirect: Object.keys(joined).length <= 2 };
      for (const event of timeline?.events ?? []) {
        const message = await frame.read({ event: event.event_id }, () => readEvent(event, room, me));
        if (message) found.push(message);
      }
    }
    return found;
  }
}
