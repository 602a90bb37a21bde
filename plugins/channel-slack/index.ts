import {
  Approvals,
  Audit,
  Channels,
  Checks,
  Commands,
  definePlugin,
  Inbox,
  Media,
  optional,
  People,
  Services,
  Standings,
  Store,
  Transcriber,
  Upstream,
} from "@gantry/sdk";
import { ChannelHealth, LetIn, pairedCommands, serveConnection, strangerGuard } from "@gantry/sdk/channel";
import { Pairing } from "@gantry/sdk/node";
import { CatchUp } from "./catch-up.ts";
import { slackChecks } from "./checks.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { Intake } from "./intake.ts";
import { Listener } from "./listener.ts";
import { manifest } from "./manifest.ts";
import { onboarding } from "./onboarding.ts";
import { Places } from "./places.ts";
import { Posting } from "./posting.ts";
import { Questions } from "./questions.ts";
import { Sender } from "./sender.ts";
import { allowlistKey, settingsFrom } from "./settings.ts";
import { Surroundings } from "./surroundings.ts";
import { WebApi } from "./web-api.ts";
import { Working } from "./working.ts";

const personForm = /^[UW][A-Z0-9]{2,20}$/;

export default definePlugin({
  name: "channel-slack",
  summary: "Slack: direct messages, channels and threads, by Socket Mode.",
  table: "",
  config,
  needs: {
    approvals: Approvals,
    audit: Audit,
    inbox: Inbox,
    media: optional(Media),
    people: People,
    store: Store,
    transcriber: optional(Transcriber),
    upstream: Upstream,
  },
  provides: [Channels, Checks, Commands, Services, Standings],
  taps: ["onInboundMessage"],
  onboarding,
  errors,
  setup(host) {
    const { needs, log } = host;
    const settings = settingsFrom(host.config, process.env, () => needs.people.roles("slack"));
    const values = () => needs.store.values;
    const api = new WebApi(settings, needs.upstream);
    const people = new LetIn("slack", settings, () => needs.store);
    const health = new ChannelHealth({ channel: "slack", values, log });
    const questions = new Questions({ settings, api, approvals: needs.approvals, people, log });
    const posting = new Posting({ api, values, log });
    const sender = new Sender({ posting, health, values, open: async (id) => needs.media?.open(id) });
    const working = new Working(api);
    const places = new Places(values);
    const intake = new Intake({
      ...needs,
      codes: new Pairing(needs.store),
      surroundings: new Surroundings(api, log),
      settings,
      api,
      people,
      places,
      log,
    });
    const catchUp = new CatchUp({ api, intake, places, log });

    host.provide(Channels, {
      name: "slack",
      idOf: (written) => (personForm.test(written) ? written : undefined),
      send: (message, signal) => sender.send(message, signal),
      ask: (request, to, signal) => questions.ask(request, to, signal),
      settled: (request, decision) => questions.settled(request, decision),
      edit: (message, signal) => sender.edit(message, signal),
      working: (to, signal) => working.show(to, signal),
    });
    host.provide(Standings, people);
    const refuseStrangers = strangerGuard("slack", allowlistKey, (id) => people.trust(id));
    host.hooks.onInboundMessage.tap(refuseStrangers);

    const { upstream } = needs;
    serveConnection(
      host,
      "slack",
      () => new Listener({ api, upstream, intake, catchUp, questions, health }),
      { alone: true },
    );
    for (const check of slackChecks(settings, api, health)) host.provide(Checks, check);
    for (const command of pairedCommands("slack", people.paired)) host.provide(Commands, command);
    host.provide(Commands, {
      name: "slack manifest",
      summary: "the manifest from which a Slack app for this service is made",
      async run({ out }) {
        out(JSON.stringify(manifest, null, 2));
        return 0;
      },
    });
  },
});
