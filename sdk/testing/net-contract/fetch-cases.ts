import assert from "node:assert/strict";
import type { NetRequest } from "../../tools/net.ts";
import { codedAs, type ServerOf } from "./server.ts";

type Fetch = (request: NetRequest) => Promise<Response>;
type Opened = (check: (fetch: Fetch, server: ServerOf) => Promise<void>) => Promise<void>;

const { signal } = new AbortController();

/** Returns the duties of both ways out with a request. */
export function fetchCases(open: Opened): Readonly<Record<string, () => Promise<void>>> {
  return {
    "SDK-05: a request goes out with its method, headers and body, and the answer comes back whole": () =>
      open(async (fetch, { url }) => {
        const answer = await fetch({
          url: `${url}/echo`,
          method: "POST",
          headers: { "x-key": "k" },
          body: "hällo",
          signal,
        });
        assert.deepEqual([answer.status, answer.headers.get("x-key")], [201, "k"]);
        assert.equal(await answer.text(), "POST hällo");
        const bytes = await fetch({ url: `${url}/echo`, method: "PUT", body: Buffer.from("bytes"), signal });
        assert.equal(await bytes.text(), "PUT bytes");
      }),
    "SDK-05: an answer of more than may be is cut off with NET_TOO_LARGE": () =>
      open(async (fetch, { url }) => {
        const read = async (): Promise<string> =>
          (await fetch({ url: `${url}/many`, maxBytes: 10_000, signal })).text();
        await codedAs("NET_TOO_LARGE", read(), "too large");
      }),
    "SDK-05: what does not answer in its time, or stops in the middle, ends with NET_TIMEOUT": () =>
      open(async (fetch, { url }) => {
        const read = async (path: string): Promise<string> =>
          (await fetch({ url: `${url}${path}?key=s3cret`, timeoutMs: 200, signal })).text();
        await codedAs("NET_TIMEOUT", read("/never"), "no answer");
        await codedAs("NET_TIMEOUT", read("/slow"), "half an answer");
      }),
    "SDK-05: a request ends with its signal, also while its answer is read": () =>
      open(async (fetch, { url }) => {
        await codedAs("NET_", fetch({ url: `${url}/hello`, signal: AbortSignal.abort() }), "before");
        const stop = new AbortController();
        const slow = await fetch({ url: `${url}/slow`, signal: stop.signal });
        const both = Promise.all([
          codedAs("NET_", fetch({ url: `${url}/never`, signal: stop.signal }), "waiting"),
          codedAs("NET_", slow.text(), "reading"),
        ]);
        stop.abort();
        await both;
      }),
  };
}
