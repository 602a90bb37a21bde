import type { Json } from "../../index.ts";
import type { Plugin } from "../../contract/plugin.ts";

/** A person's message on the test's platform. */
export interface Writing {
  /** The platform's id of the person. */
  readonly from: string;
  readonly text: string;
  /** Default `direct`. */
  readonly place?: "direct" | "group";
  /** A topic or thread in the group. */
  readonly thread?: string;
  /** In a group: the agent is named. */
  readonly mention?: boolean;
  /** The same message comes once more. */
  readonly twice?: boolean;
}

/**
 * A text that reached people in a place, as they read it (marks shown, escapes undone), and the
 * buttons under it.
 */
export interface Told {
  readonly text: string;
  readonly place: "direct" | "group";
  /** In a direct chat: the platform's id of the person. */
  readonly to?: string;
  readonly thread?: string;
  readonly buttons?: readonly string[];
}

/** The way in which the platform ends the next sending. */
export type SendingEnds =
  | { readonly how: "rate"; readonly afterMs: number }
  | { readonly how: "account" | "form" };

/** The platform of a channel's tests. What it cannot do is left out, and the sentences about it are not tried. */
export interface TestPlatform {
  write(writing: Writing): Promise<void>;
  /** The last message once more, as a platform does that was not told of its arrival. */
  again?(): Promise<void>;
  /** All that was sent so far, in order. */
  told(): readonly Told[];
  /** Returns the number of messages that it need not hand out again, as it was told. */
  taken(): number;
  failNext(ending: SendingEnds): void;
  /** A person presses a button of the last question; gives what they are told. */
  press?(label: string, from: string): Promise<string>;
  /** Returns the number of times that it was shown that the agent works. */
  typing?(): number;
  close(): Promise<void>;
}

export interface OpenedPlatform {
  readonly platform: TestPlatform;
  /** The channel, and the network it needs. */
  readonly plugins: readonly Plugin[];
  readonly config: Readonly<Record<string, unknown>>;
}

export interface ChannelPlatformSubject {
  /** The name of the channel. */
  readonly channel: string;
  /** The first may approve, the second may write, the third may not; then a bot, and the agent itself. */
  readonly people: {
    readonly owner: string;
    readonly member: string;
    readonly stranger: string;
    readonly bot?: string;
    readonly self?: string;
  };
  /** An address of a direct chat. */
  readonly to: Json;
  /** Secrets of the configuration; none may be seen anywhere. */
  readonly secrets: readonly string[];
  /** The features that the platform has; a missing one is not tried. */
  readonly groups?: boolean;
  readonly threads?: boolean;
  readonly buttons?: boolean;
  /** It hands out a message {@link TestPlatform.again}. */
  readonly repeats?: boolean;
  /** It knows plain text alone, so there is no form that it could refuse. */
  readonly plain?: boolean;
  /** False: it never says how long to wait. */
  readonly waits?: boolean;
  /** The words of the channel's checks for a refused account; default `401`. */
  readonly refusal?: string;
  /** It is made by `chatChannel()`, and its table has the keys `groups` and `pairing_enabled`. */
  readonly framed?: true;
  /** A fresh platform, on which the channel answers to its name in groups; `table` changes its keys. */
  open(table?: Readonly<Record<string, unknown>>): Promise<OpenedPlatform>;
}
