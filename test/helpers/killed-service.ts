import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { startGantry, type Run } from "./cli.ts";
import { reply, type Answer } from "./model.ts";

/** A request to the model, as far as a test reads it. */
export interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** A chat-completions server on loopback whose answers depend on what it is asked. */
export async function startThinking(
  answer: (asked: Asked) => Answer | Promise<Answer>,
): Promise<{ readonly provider: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    const work = async (): Promise<void> => {
      if (request.method !== "POST") return void response.writeHead(404).end();
      const asked = JSON.parse(await text(request)) as Asked;
      reply(response, await answer(asked));
    };
    // A client that was killed has asked for nothing.
    void work().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    provider: `custom:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One life of a gateway, from its start on. */
export interface Life {
  /**
   * Says something in a conversation; resolves to undefined if the service ends before its answer.
   */
  say(session: string, message: string): Promise<string | undefined>;
  /** Ends it, and waits for that. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<void>;
}

/** Starts a gateway that needs no pairing, and waits until it is ready. */
export async function live(run: Run): Promise<Life> {
  const { child } = startGantry(["gateway"], run);
  let told = "";
  const ready = new Promise<string>((resolve, reject) => {
    child.stderr?.on("data", (piece: Buffer) => {
      told += piece.toString();
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(told)?.[0];
      if (url !== undefined && /is ready|[Ll]isten/.test(told)) resolve(url);
    });
    child.once("exit", () => reject(new Error(`the gateway ended at its start: ${told}`)));
  });
  const url = await ready;
  return {
    async say(session_id, message) {
      const body = JSON.stringify({ message, session_id });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${url}/api/chat`, { method: "POST", headers, body }).catch(() => undefined);
      const said = (await answer?.json().catch(() => undefined)) as { reply?: string } | undefined;
      return said?.reply;
    },
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill(signal);
      await ended;
    },
  };
}
