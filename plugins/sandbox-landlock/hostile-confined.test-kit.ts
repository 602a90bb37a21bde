import { Socket } from "node:net";
import { Requests } from "./confined/requests.ts";
import type { Request } from "./messages.ts";

/**
 * The program of a confined process that was taken over: of a run whose command is `EVIL <code>` it
 * follows the code in place of the command. The code knows `id`, `raw` (sends a text, or a header
 * that says something else), `socket`, and `later`, which takes what is done with each request from
 * then on.
 */

type Evil = (request: Request, id: number) => void;

/** The first socket that anything is sent by is the channel. */
const sockets: Socket[] = [];
let evil: Evil | undefined;
const { cork } = Socket.prototype;
Socket.prototype.cork = function (this: Socket) {
  sockets.push(this);
  return cork.call(this);
};

function raw(text: string | Buffer, data: Uint8Array = Buffer.alloc(0)): void {
  const body = Buffer.from(text as string);
  const header = Buffer.alloc(8);
  header.writeUInt32LE(body.length, 0);
  header.writeUInt32LE(data.length, 4);
  sockets[0]!.write(Buffer.concat([header, body, data]));
}

const { follow } = Requests.prototype;
Requests.prototype.follow = function (this: Requests, ...args: Parameters<typeof follow>) {
  const [id, request] = args;
  const code = request.do === "run" ? /^EVIL (.*)/s.exec(request.argv.at(-1) ?? "")?.[1] : undefined;
  if (code === undefined && !evil) return follow.apply(this, args);
  if (code === undefined) evil!(request, id);
  else {
    const names = ["raw", "id", "socket", "later"];
    new Function(...names, code)(raw, id, sockets[0], (next: Evil) => (evil = next));
  }
  return new Promise<never>(() => undefined);
};

await import("./confined-worker.ts");
