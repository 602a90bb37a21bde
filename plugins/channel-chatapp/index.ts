import { definePlugin, optional, refuse } from "@gantry/sdk";
import { Channels, Checks, Inbox, Media, People, Routes, Standings, Store, Upstream } from "@gantry/sdk";
import { readMarkdown, showWorking, trustOf } from "@gantry/sdk/channel";
import { readAddress } from "./address.ts";
import { chatappChecks } from "./checks.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { Graph } from "./graph.ts";
import { onboarding } from "./onboarding.ts";
import { createSender } from "./sender.ts";
import { settingsFrom } from "./settings.ts";
import { webhookRoutes } from "./webhook.ts";

/** The platform's indicator fades after 25 seconds. */
const typingMs = 20_000;

const personForm = /^\+[0-9]{1,15}$/;

export default definePlugin({
  name: "channel-chatapp",
  summary: "The webhook-based chat-app channel.",
  table: "",
  config,
  needs: { inbox: Inbox, media: optional(Media), people: People, store: Store, upstream: Upstream },
  provides: [Channels, Checks, Routes, Standings],
  taps: ["onInboundMessage"],
  onboarding,
  errors,
  setup(host) {
    const { media, people, upstream } = host.needs;
    const settings = settingsFrom(host.config, process.env, () => people.roles("chatapp"));
    const graph = new Graph(settings, upstream);
    host.provide(Channels, {
      name: "chatapp",
      idOf: (written) => (personForm.test(written) ? written : undefined),
      send: createSender(
        graph,
        () => host.needs.store.values,
        async (id) => media?.open(id),
      ),
      working: (to, signal) => {
        const { message } = readAddress(to) ?? {};
        if (message === undefined) return Promise.resolve();
        // The message was read, however soon it is answered: only the next indicator is left out.
        return showWorking(typingMs, signal, () => graph.working(message, AbortSignal.timeout(typingMs)));
      },
    });
    // A service that has run out of descriptors still renders what it answers.
    host.onServe(async () => void (await readMarkdown("")));
    const trust = (id: string) => trustOf(id, settings.people);
    host.provide(Standings, { name: "chatapp", trust });
    host.hooks.onInboundMessage.tap(({ channel, sender }) => {
      if (channel !== "chatapp" || trust(sender.id)) return undefined;
      return refuse(errors.CHATAPP_NOT_ALLOWED(sender.id));
    });
    for (const route of webhookRoutes(settings, host.needs.inbox, host.log)) host.provide(Routes, route);
    for (const check of chatappChecks(settings, graph)) host.provide(Checks, check);
  },
});
