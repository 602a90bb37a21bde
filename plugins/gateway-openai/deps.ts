import type { Agents, Inbox, Media, Store } from "@gantry/sdk";

/** What the routes work with; a getter is asked at each request, since a slot may be empty. */
export interface ApiDeps {
  readonly agents: () => Agents | undefined;
  readonly inbox: Inbox;
  readonly media: () => Media | undefined;
  readonly store: () => Store | undefined;
  /** In small letters. */
  readonly sessionHeaders: readonly string[];
  readonly responses: ResponseBounds;
}

/** How long responses are kept, and how many conversations and bytes of one token. */
export interface ResponseBounds {
  readonly days: number;
  readonly conversations: number;
  readonly bytes: number;
}
