import { connect } from "node:net";

/**
 * Sends each request once, over so many connections that each wait for their answer; gives requests
 * a second. Throws at the first answer that is not 200.
 */
export async function load(port: number, requests: readonly Buffer[], connections: number): Promise<number> {
  let next = 0;
  const began = performance.now();
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      const go = (): void => {
        const request = requests[next];
        next += 1;
        if (request) socket.write(request);
        else socket.end();
      };
      socket
        .once("connect", go)
        .on("error", reject)
        .on("close", () => resolve());
      socket.on("data", (answer) => {
        if (answer.subarray(9, 12).toString() === "200") go();
        else reject(new Error(answer.toString()));
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
  return (requests.length * 1_000) / (performance.now() - began);
}
