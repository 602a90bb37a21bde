import { definePlugin, refuse } from "@gantry/sdk";
import { Channels, Checks, Inbox, People, Routes, Store, Upstream } from "@gantry/sdk";
import { trustOf } from "@gantry/sdk/channel";
import { chatappChecks } from "./checks.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { Graph } from "./graph.ts";
import { onboarding } from "./onboarding.ts";
import { createSender } from "./sender.ts";
import { settingsFrom } from "./settings.ts";
import { webhookRoutes } from "./webhook.ts";

const personForm = /^\+[0-9]{1,15}$/;

export default definePlugin({
  name: "channel-chatapp",
  summary: "The webhook-based chat-app channel.",
  table: "",
  config,
  needs: { inbox: Inbox, people: People, store: Store, upstream: Upstream },
  provides: [Channels, Checks, Routes],
  taps: ["onInboundMessage"],
  onboarding,
  errors,
  setup(host) {
    const { people, upstream } = host.needs;
    const settings = settingsFrom(host.config, process.env, () => people.roles("chatapp"));
    const graph = new Graph(settings, upstream);
    host.provide(Channels, {
      name: "chatapp",
      idOf: (written) => (personForm.test(written) ? written : undefined),
      send: createSender(graph, () => host.needs.store.values),
    });
    host.hooks.onInboundMessage.tap(({ channel, sender }) => {
      if (channel !== "chatapp" || trustOf(sender.id, settings.people)) return undefined;
      return refuse(errors.CHATAPP_NOT_ALLOWED(sender.id));
    });
    for (const route of webhookRoutes(settings, host.needs.inbox, host.log)) host.provide(Routes, route);
    for (const check of chatappChecks(settings, graph)) host.provide(Checks, check);
  },
});
