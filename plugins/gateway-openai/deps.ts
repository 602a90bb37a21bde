import type { Agents, Inbox, Media, Store } from "@gantry/sdk";

/** The parts that the routes use; a getter is called at each request, since a slot may be empty. */
export interface ApiDeps {
  readonly agents: () => Agents | undefined;
  readonly inbox: Inbox;
  readonly media: () => Media | undefined;
  readonly store: () => Store | undefined;
  /** In small letters. */
  readonly sessionHeaders: readonly string[];
  readonly responses: ResponseBounds;
}

/** Bounds of kept responses: their days, and the conversations and bytes of one token. */
export interface ResponseBounds {
  readonly days: number;
  readonly conversations: number;
  readonly bytes: number;
}
