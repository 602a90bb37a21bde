import { Budget, StatusParts } from "@gantry/sdk/fill";
import { ChatCommands, Checks, Commands, counted, definePlugin, Observers, Routes, Store } from "@gantry/sdk";
import { shownTokens, usageCommand } from "./command.ts";
import { config } from "./config.ts";
import { errors } from "./errors.ts";
import { Ledger } from "./ledger.ts";
import { costOf } from "./prices.ts";
import { usageRoute } from "./route.ts";

export default definePlugin({
  name: "usage-ledger",
  summary: "What requests to models cost, row by row, and a budget for each day.",
  table: "",
  config,
  needs: { store: Store },
  provides: [Budget, ChatCommands, Checks, Commands, Observers, Routes, StatusParts],
  errors,
  setup(host) {
    const usage = () => host.needs.store.usage;
    const ledger = new Ledger(usage(), host.config, host.log);
    host.provide(Budget, ledger);
    host.provide(Observers, { name: host.name, modelAnswered: (answer) => ledger.record(answer) });
    host.provide(Commands, usageCommand(usage));
    host.provide(Routes, usageRoute(usage));
    host.provide(ChatCommands, {
      name: "usage",
      summary: "what your messages have taken today",
      trust: "guest",
      async run({ user }) {
        const sum = await ledger.today(user);
        const { requests, input, output, estimated } = sum;
        const [sent, said] = [shownTokens(input, estimated), shownTokens(output, estimated)];
        return `Today (UTC): ${counted(requests, "request")}, ${sent} tokens in, ${said} out, ${costOf(sum)}.`;
      },
    });
    host.provide(StatusParts, {
      name: "cost",
      order: 30,
      async words({ user }) {
        await ledger.written();
        const sum = await ledger.today(user);
        return sum.micros === 0 ? undefined : `${costOf(sum)} today`;
      },
    });
    host.provide(Checks, {
      name: "budget",
      kind: "status",
      async run() {
        const today = ledger.limits.some(({ perUser }) => !perUser) ? await ledger.today() : undefined;
        return ledger.limits.flatMap(({ key, most = 0, perUser, spent, shown }) => {
          if (perUser || !today) return [];
          const state = spent(today) >= most ? "fail" : "ok";
          const detail = `${shown(spent(today))} of ${shown(most)} today (UTC)`;
          return [{ what: key, state, detail, ...(state === "fail" && { cure: `Wait, or raise ${key}.` }) }];
        });
      },
    });
    host.onDispose(() => ledger.written());
  },
});
