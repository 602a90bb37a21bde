import type { Sessions } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";

/** Users of this machine's terminal: whoever may read the store is its owner, by whatever name. */
const terminal = "cli:";

/**
 * Decides, as the only place, who may continue a conversation: its opener, and those it is shared
 * with. A new one is `user`'s. One kept without an owner by an earlier release is the terminal's;
 * `<channel>:<sender>` is that sender's, channel loaded or not. Throws `SESSION_FOREIGN`.
 */
export async function enterSession(sessions: Sessions, session: string, user: string): Promise<void> {
  const access = await sessions.access(session);
  if (access?.sharedWith.includes(user)) return;
  if (access?.owner === undefined && session !== user) {
    const isLeft = access !== undefined && !user.startsWith(terminal);
    if (isLeft || session.includes(":")) throw errors.SESSION_FOREIGN(session);
  }
  const owner = access?.owner ?? (await sessions.open(session, user));
  if (!isSame(owner, user)) throw errors.SESSION_FOREIGN(session);
}

/** The form of names of sessions within a turn's session, behind it and a slash. */
const innerName = /^[\w.-]{1,64}$/;

/**
 * Enters a session that a turn named for a turn within it, as `<its own session>/<name>`, which
 * nobody else can name; a new one is its owner's. Returns false for any other session.
 */
export async function enterWithin(sessions: Sessions, session: string, outer: CallPlace): Promise<boolean> {
  if (!session.startsWith(`${outer.session}/`)) return false;
  if (!innerName.test(session.slice(outer.session.length + 1))) return false;
  const { owner = outer.user } = (await sessions.access(outer.session)) ?? {};
  if ((await sessions.open(session, owner)) !== owner) throw errors.SESSION_FOREIGN(session);
  return true;
}

interface CallPlace {
  readonly session: string;
  /** `<channel>:<user_id>` */
  readonly user: string;
}

function isSame(owner: string, user: string): boolean {
  return owner === user || (owner.startsWith(terminal) && user.startsWith(terminal));
}
