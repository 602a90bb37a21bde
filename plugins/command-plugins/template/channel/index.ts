import path from "node:path";
import {
  Channels,
  Checks,
  definePlugin,
  Inbox,
  People,
  Runtime,
  Services,
  Standings,
  Store,
} from "@gantry/sdk";
import {
  channelChecks,
  ChannelHealth,
  pause,
  peopleRow,
  receiveAll,
  serveConnection,
  strangerGuard,
  trustOf,
} from "@gantry/sdk/channel";
import { Type } from "typebox";
import { createFileDrop } from "./file-drop.ts";

const allowlistKey = "plugins_config.channel-example.allowed_senders";
const names = Type.String({ minLength: 1 });

export default definePlugin({
  name: "channel-example",
  summary: "Takes files as messages and writes the answers beside them: put your own line here.",
  config: Type.Object({
    directory: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Where files are dropped; default: drop/ in the configuration directory.",
      }),
    ),
    allowed_senders: Type.Array(names, {
      default: [],
      description: 'Who may write; "*" lets everybody in as a guest; empty denies all.',
    }),
    owners: Type.Array(names, { default: [], description: "Who may write, and approve what tools ask." }),
  }),
  needs: { inbox: Inbox, people: People, runtime: Runtime, store: Store },
  provides: [Channels, Checks, Services, Standings],
  taps: ["onInboundMessage"],
  setup(host) {
    const { inbox, runtime, store } = host.needs;
    const people = {
      allowed: host.config.allowed_senders,
      owners: host.config.owners,
      // Whom `[people]` names with a key `example`.
      named: () => host.needs.people.roles("example"),
    };
    const drop = createFileDrop({
      name: "example",
      // Who writes here may call themselves anybody, so it lies where no tool may write.
      directory: host.config.directory ?? path.join(runtime.configDir, "drop"),
      people,
      receive: (messages, signal) => receiveAll(inbox, messages, signal),
    });
    const health = new ChannelHealth({ channel: "example", values: () => store.values, log: host.log });
    host.provide(Channels, drop.channel);
    const trust = (id: string) => trustOf(id, people);
    host.hooks.onInboundMessage.tap(strangerGuard("example", allowlistKey, trust));
    host.provide(Standings, { name: "example", trust });
    serveConnection(host, "example", () => ({
      health,
      watchdogMs: 60_000,
      judge: (error) => ({ reason: (error as Error).message }),
      async run(signal, alive) {
        for (; !signal.aborted; await pause(1_000, signal)) {
          await drop.look(signal);
          health.up();
          alive();
        }
      },
    }));
    const standing = async () => [peopleRow("example", allowlistKey, people)];
    for (const check of channelChecks("example", { standing, health })) host.provide(Checks, check);
  },
});
