import path from "node:path";
import { Channels, definePlugin, Inbox, Runtime, Services } from "@gantry/sdk";
import { Type } from "typebox";
import { createFileDrop } from "./file-drop.ts";

export default definePlugin({
  name: "channel-example",
  summary: "Takes files as messages and writes the answers beside them: put your own line here.",
  config: Type.Object({
    directory: Type.Optional(
      Type.String({ minLength: 1, description: "Where files are dropped; default: drop/ in the workspace." }),
    ),
  }),
  needs: { inbox: Inbox, runtime: Runtime },
  provides: [Channels, Services],
  setup(host) {
    const { inbox, runtime } = host.needs;
    const directory = host.config.directory ?? path.join(runtime.workspace, "drop");
    const failed = (error: Error): void =>
      host.log.error({}, `The folder could not be read: ${error.message}`);
    const drop = createFileDrop("example", directory, (messages) => inbox.receive(messages), failed);
    host.provide(Channels, drop.channel);
    host.provide(Services, drop.service);
  },
});
