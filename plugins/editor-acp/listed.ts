import type { ListSessionsRequest, ListSessionsResponse } from "@agentclientprotocol/sdk";
import type { Store } from "@gantry/sdk";
import { printable } from "@gantry/sdk/node";
import { errors } from "./errors.ts";
import { folderOf, knownFolders } from "./folders.ts";
import { ownWords } from "./replay.ts";
import { channel, titleOf } from "./session.ts";

const perPage = 50;

/**
 * Returns a page of the conversations that editors had in folders of the workspace, or in one of
 * them, the newest first. Throws ACP_CURSOR and what `folderOf` throws.
 */
export async function listSessions(
  store: Store,
  workspace: string,
  { cwd, cursor }: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const only = cwd == null ? undefined : (await folderOf(cwd, workspace)).path;
  const folders = await knownFolders(store, workspace);
  const all = await store.sessions.list(Number.MAX_SAFE_INTEGER);
  const found = all.flatMap(({ id, updated, owner }) => {
    const folder = owner?.startsWith(`${channel}:`)
      ? folders.get(owner.slice(channel.length + 1))
      : undefined;
    return folder === undefined || (only !== undefined && folder !== only) ? [] : [{ id, updated, folder }];
  });
  const from = cursor == null ? 0 : found.findIndex(({ id }) => id === cursor) + 1;
  if (cursor != null && from === 0) throw errors.ACP_CURSOR(printable(cursor, 100));
  const page = found.slice(from, from + perPage);
  const sessions = await Promise.all(
    page.map(async ({ id, updated, folder }) => {
      const title = await lastWords(store, id);
      return { sessionId: id, cwd: folder, updatedAt: updated, ...(title !== "" && { title }) };
    }),
  );
  const last = page.at(-1)?.id;
  return { sessions, ...(last !== undefined && from + perPage < found.length && { nextCursor: last }) };
}

/** Returns what the person has said last. */
async function lastWords({ sessions }: Store, id: string): Promise<string> {
  const said = (await sessions.recent(id, 1)).find(({ role }) => role === "user");
  return titleOf(ownWords(said?.parts ?? []));
}
