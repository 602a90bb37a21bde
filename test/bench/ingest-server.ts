import { createHmac, timingSafeEqual } from "node:crypto";
import type { AddressInfo } from "node:net";
import { Services } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import { fastify } from "fastify";
import chatapp from "../../plugins/channel-chatapp/index.ts";
import gateway from "../../plugins/gateway-http/index.ts";
import net from "../../plugins/net-undici/index.ts";
import store from "../../plugins/store-sqlite/index.ts";

const secret = process.argv[3] as string;

/**
 * `gantry`: the gateway with the chat-app channel and no worker, so that only accepting is
 * measured. `bare`: the same checks, nothing kept.
 */
const servers: Readonly<Record<string, () => Promise<number>>> = {
  async gantry() {
    const table = {
      access_token: "t",
      phone_number_id: "1",
      verify_token: "v",
      app_secret: secret,
      allowed_numbers: ["*"],
    };
    const config = { gateway: { port: 0 }, channels_config: { chatapp: table } };
    const host = await startTestHost({ plugins: [store, net, chatapp, gateway], config });
    await host.slot(Services).get("gateway")?.start();
    const { port } = new URL(String(host.logs.find(({ detail }) => "url" in detail)?.detail["url"]));
    return Number(port);
  },
  async bare() {
    const app = fastify();
    app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
      done(null, body),
    );
    app.post("/chatapp", async (request, reply) => {
      const raw = request.body as Buffer;
      const given = Buffer.from(String(request.headers["x-hub-signature-256"]).slice(7), "hex");
      if (!timingSafeEqual(given, createHmac("sha256", secret).update(raw).digest()))
        return reply.code(401).send();
      const payload = JSON.parse(raw.toString()) as { entry: unknown[] };
      return { status: payload.entry.length > 0 ? "ok" : "empty" };
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    return (app.server.address() as AddressInfo).port;
  },
};

const port = await servers[process.argv[2] as string]?.();
process.stdout.write(`${port}\n`);
