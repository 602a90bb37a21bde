import type { Audit } from "@gantry/sdk";
import type { SandboxedFiles } from "@gantry/sdk/fill";
import { errors } from "./errors.ts";
import type { Journal, KeptChange } from "./journal.ts";

export interface UndoDeps {
  readonly journal: Journal;
  readonly audit: Audit;
  files(): SandboxedFiles;
}

/**
 * The change to undo: the last of all, of a conversation, of an agent or of none (`""`), of a file.
 */
export interface UndoWish {
  readonly session?: string;
  readonly agent?: string;
  readonly path?: string;
}

export async function changesOf(
  journal: Journal,
  { session, agent, path }: UndoWish,
): Promise<readonly KeptChange[]> {
  const changes = await journal.list();
  return changes.filter(
    (change) =>
      (session === undefined || change.session === session) &&
      (agent === undefined || (change.agent ?? "") === agent) &&
      (path === undefined || change.path === path),
  );
}

/**
 * Puts back what stood in a file before the last change, behind the walls, where nobody has changed
 * the file since. Throws `UNDO_NOTHING`, `UNDO_ELSEWHERE`, `UNDO_NOT_KEPT`, `UNDO_CHANGED` and what
 * the walls say.
 */
export async function undo(
  { journal, audit, files }: UndoDeps,
  wish: UndoWish,
  user: string,
  signal: AbortSignal,
): Promise<KeptChange> {
  const changes = await changesOf(journal, wish);
  if (changes.length === 0) throw errors.UNDO_NOTHING();
  for (const change of changes) {
    const isDone = await takeBack({ journal, audit, files }, change, user, signal);
    if (isDone) return change;
  }
  throw errors.UNDO_ELSEWHERE(changes[0]!.path);
}

/** False for a change of another workspace. */
async function takeBack(
  { journal, audit, files }: UndoDeps,
  change: KeptChange,
  user: string,
  signal: AbortSignal,
): Promise<boolean> {
  const record = (result: string): Promise<void> =>
    audit.record({
      event_type: "tool_call",
      tool: "undo",
      args: { path: change.path, changed_by: change.tool, changed_at: change.at },
      result,
      user,
      session_id: change.session,
    });
  await record("allowed");
  try {
    await putBack(journal, files(), change, signal);
  } catch (error) {
    const { code = "INTERNAL" } = error as { code?: string };
    await record(`failed: ${code}`);
    if (code === "PATH_OUTSIDE") return false;
    throw error;
  }
  await journal.drop(change.id);
  return true;
}

async function putBack(
  journal: Journal,
  files: SandboxedFiles,
  change: KeptChange,
  signal: AbortSignal,
): Promise<void> {
  if (change.before === "too large") {
    await journal.drop(change.id);
    throw errors.UNDO_NOT_KEPT(change.path);
  }
  const data = change.before === "kept" ? await journal.before(change.id) : null;
  try {
    await files.write(change.path, data, signal, { expected: change.after });
  } catch (error) {
    if ((error as { code?: string }).code === "FILE_CHANGED") throw errors.UNDO_CHANGED(change.path);
    throw error;
  }
}
