import { parentPort, workerData } from "node:worker_threads";
import { faultOf, listDirectory, readFile } from "./files.ts";
import { Groups } from "./groups.ts";
import type { Answers, FileFault, FromThread, Order, ThreadFacts, ToThread, WallFacts } from "./messages.ts";
import { NotStarted, type Surroundings, runProcess } from "./process.ts";
import { Changed, replaceFile } from "./replace.ts";

/**
 * The thread that starts processes and opens files. It restricts itself first; the kernel then holds it and everything it
 * starts. Files are only ever touched by synchronous calls: the others would run on threads that have no walls.
 */
const port = parentPort!;
const facts = workerData as ThreadFacts;
const { walls } = facts;
const running = new Map<number, AbortController>();
let groups: Groups | undefined;
/** What the kernel gives once its calls are loaded. */
let own: Pick<Surroundings, "reap" | "outputs"> = { reap: () => undefined };

async function follow(id: number, order: Order): Promise<Answers[keyof Answers]> {
  switch (order.do) {
    case "read":
      return readFile(order.path, order.maxBytes);
    case "write":
      return replaceFile(order);
    case "list":
      return listDirectory(order.path, order.limit);
    case "run": {
      const abort = new AbortController();
      running.set(id, abort);
      try {
        const argv = [...facts.prefix, ...order.argv];
        return await runProcess(
          { ...order, argv },
          { groups: groups!, gated: walls !== undefined, ...own },
          abort.signal,
        );
      } finally {
        running.delete(id);
      }
    }
  }
}

function fault(error: unknown, order: Order): FileFault {
  if (order.do === "run") {
    return {
      fault: "not started",
      path: order.argv[0] ?? "",
      reason: error instanceof NotStarted ? error.message : String(error),
    };
  }
  if (error instanceof Changed) return { fault: "changed", path: order.path };
  const verb = { read: "read", write: "written", list: "listed" }[order.do];
  return faultOf(error, order.path, verb, order.do === "write" ? walls?.write : walls?.read);
}

async function serve(message: ToThread): Promise<void> {
  if ("abort" in message) return running.get(message.id)?.abort();
  let answer: FromThread;
  try {
    answer = { id: message.id, value: await follow(message.id, message.order) };
  } catch (error) {
    answer = { id: message.id, fault: fault(error, message.order) };
  }
  port.postMessage(answer);
}

async function restrict({
  read,
  write,
  tcp,
  abiCap = Infinity,
}: WallFacts): Promise<{ abi: number; listener: number }> {
  const { closeOnExec, closeToOthers, dropPrivileges } = await import("./privileges.ts");
  const { landlockAbi, restrictFiles } = await import("./landlock.ts");
  const { restrictCalls } = await import("./seccomp.ts");
  const { machine, reapGroup } = await import("./kernel.ts");
  const { outputs } = await import("./outputs.ts");
  own = { reap: reapGroup, outputs };
  const abi = Math.min(landlockAbi(), abiCap);
  if (abi === 0 || !machine) throw new Error("this kernel has no Landlock");
  closeToOthers();
  closeOnExec();
  dropPrivileges();
  restrictFiles({ read, write }, abi);
  return { abi, listener: restrictCalls({ machine, abi, tcp }) };
}

port.once("message", ({ ledger }: { ledger?: number }) => {
  groups = new Groups(facts.groups, ledger);
  port.on("message", (message: ToThread) => void serve(message));
});
if (walls) {
  restrict(walls).then(
    (built) => port.postMessage(built),
    (error: unknown) => port.postMessage({ absent: error instanceof Error ? error.message : String(error) }),
  );
}
