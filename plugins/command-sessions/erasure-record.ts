import type { Audit } from "@gantry/sdk";

/** Records that a conversation is removed: at the terminal by the owner, else by `user`. */
export function recordRemoval(audit: Audit, session: string, user?: string): Promise<void> {
  const about = { session_id: session, ...(user !== undefined && { user }) };
  return record(audit, about, {}, "conversation is removed");
}

/**
 * Records an erasure; without a record nothing is removed. The erased person is named as in their
 * other records, whole.
 */
export function record(
  audit: Audit,
  about: { readonly user?: string; readonly session_id?: string },
  args: Readonly<Record<string, unknown>>,
  result: string,
): Promise<void> {
  return audit.record({
    event_type: "erasure",
    tool: "",
    args,
    result,
    user: "owner",
    session_id: "",
    ...about,
  });
}
