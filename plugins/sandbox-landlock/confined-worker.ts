import { Socket } from "node:net";
import path from "node:path";
import { asError, entryBeside } from "@gantry/sdk/node";
import { Frames } from "../shared/frames.ts";
import { CHANNEL, type ConfinedFacts, type FromConfined, type Request, type ToConfined } from "./messages.ts";
import { goFirst } from "./confined/first-to-go.ts";
import { Requests } from "./confined/requests.ts";
import { endByGroup, endWithNamespace } from "./confined/run-end.ts";
import { Temporary } from "./confined/temporary.ts";
import { WorkspaceSize } from "./confined/workspace-size.ts";
import type { Mounter } from "./view/mounter.ts";
import { openIn } from "./workspace/open-in.ts";
import { Workspace } from "./workspace/workspace.ts";

/**
 * The process that starts commands and opens files, for one run at a time. It holds no key and
 * nothing of the service but this channel; it builds its walls first, and the kernel then holds it
 * and everything it starts.
 */

const socket = new Socket({ fd: CHANNEL, readable: true, writable: true });
const { promise: told, resolve: tell } = Promise.withResolvers<ConfinedFacts>();
const { promise: supervised, resolve: go } = Promise.withResolvers<void>();

const frames = new Frames<ToConfined, FromConfined>(socket, socket, ({ message, data }) => {
  if ("workspace" in message) tell(message);
  else if ("go" in message) go();
  else if ("abort" in message) void ready.then((requests) => requests.abort(message.id));
  else void serve(message.id, message.request, data);
});
let begun: Requests | undefined;
// It closes then too; unheard, an error would end this process before what runs.
socket.on("error", () => undefined);
// Its owner has gone, however it went. Without a namespace the kernel does not end what runs.
socket.on("close", () => void leave());
const ready = confine();
ready.then(
  (requests) => (begun = requests),
  (error: unknown) => frames.send({ absent: asError(error).message }),
);
frames.send({ up: true });

async function serve(id: number, request: Request, bytes: Uint8Array): Promise<void> {
  const requests = await ready;
  try {
    const { value, data } = await requests.follow(id, request, bytes, () => {
      frames.send({ id, started: true });
    });
    frames.send({ id, value }, data);
  } catch (error) {
    frames.send({ id, fault: requests.faultOf(error, request) });
  }
}

async function leave(): Promise<void> {
  await begun?.stop();
  process.exit();
}

async function confine(): Promise<Requests> {
  const facts = await told;
  const workspace = new Workspace(facts);
  const { walls, namespaces, temporary } = facts;
  const open = openIn(facts.workspace, walls?.read).map((at) => path.join(facts.workspace, at));
  const size = new WorkspaceSize(open, facts.workspaceMb);
  // Nothing can be loaded any more once the walls stand.
  const search = facts.only === "search" ? { search: await import("./confined/search-files.ts") } : undefined;
  if (!walls) {
    const own = temporary === undefined ? {} : { temporary: new Temporary(temporary) };
    return new Requests({ facts, workspace, size, ending: await endByGroup(false), ...search, ...own });
  }
  if (search) goFirst();
  const { buildWalls, finishWalls } = await import("./confined/walls.ts");
  const mounter = facts.views && (await startMounter(facts));
  const ending = await (namespaces ? endWithNamespace() : endByGroup(true));
  const { built, temporary: own } = await buildWalls({ ...facts, walls }, workspace, mounter);
  frames.send({ built });
  await supervised;
  finishWalls(built);
  const inside = { ...search, ...(own && { temporary: own }), ...(mounter && { mounter }) };
  return new Requests({ facts, workspace, size, ending, ...inside });
}

async function startMounter({ workspace }: ConfinedFacts): Promise<Mounter> {
  const { Mounter } = await import("./view/mounter.ts");
  return Mounter.start(entryBeside(import.meta.url, "mounting-worker").url, { workspace });
}
