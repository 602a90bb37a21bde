import { Channels, Checks, definePlugin, Inbox, Services, Store, Upstream } from "@gantry/sdk";
import {
  channelChecks,
  ChannelHealth,
  peopleRow,
  serveConnection,
  showWorking,
  strangerGuard,
  trustOf,
} from "@gantry/sdk/channel";
import { MatrixApi } from "./api.ts";
import { Receiver } from "./receiver.ts";
import { addressOf, createSender } from "./sender.ts";
import { allowlistKey, config, settingsFrom } from "./settings.ts";

/** The sign fades after this long, and is renewed a little earlier. */
const typingMs = 20_000;

export default definePlugin({
  name: "channel-matrix",
  summary: "Rooms of a Matrix homeserver, unencrypted, by long polling.",
  config,
  needs: { inbox: Inbox, store: Store, upstream: Upstream },
  provides: [Channels, Checks, Services],
  taps: ["onInboundMessage"],
  setup(host) {
    const { inbox, store, upstream } = host.needs;
    const settings = settingsFrom(host.config, process.env);
    const values = () => store.values;
    const api = new MatrixApi(settings, upstream);
    const health = new ChannelHealth({ channel: "matrix", values, log: host.log });

    host.provide(Channels, {
      name: "matrix",
      send: createSender(api, health, values),
      async working(to, signal) {
        const { room = "" } = addressOf(to);
        const { user_id: me } = await api.call<{ user_id: string }>("GET", "/account/whoami", signal);
        const path = `/rooms/${encodeURIComponent(room)}/typing/${encodeURIComponent(me)}`;
        await showWorking(typingMs - 2_000, signal, async (now) => {
          await api.call("PUT", path, now, { typing: true, timeout: typingMs });
        });
      },
    });
    const refuseStrangers = strangerGuard("matrix", allowlistKey, (id) => trustOf(id, settings.people));
    host.hooks.onInboundMessage.tap(refuseStrangers);

    serveConnection(host, "matrix", () => new Receiver({ api, settings, health, inbox, values }));

    const standing = async () => [peopleRow("matrix", allowlistKey, settings.people)];
    for (const check of channelChecks("matrix", { standing, platform: standing, health }))
      host.provide(Checks, check);
  },
});
