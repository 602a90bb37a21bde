import { Type } from "typebox";
import type { Static } from "typebox";

const limit = (description: string) => Type.Optional(Type.Number({ minimum: 0, description }));
const dollars = (description: string) => Type.Number({ minimum: 0, description });

export const config = Type.Object({
  budget: Type.Object({
    tokens_per_day: limit("Tokens, in and out, that all requests of one day (UTC) may take."),
    usd_per_day: limit("US dollars, by `[prices]`, that all requests of one day (UTC) may cost."),
    per_user_tokens_per_day: limit("The same for the requests of one person."),
    per_user_usd_per_day: limit("The same for the requests of one person."),
    guest_share: Type.Number({
      default: 0.5,
      minimum: 0,
      maximum: 1,
      description:
        "How much of a budget of all requests may be spent before guests get no answer; the rest is the owner's.",
    }),
    on_limit: Type.Union([Type.Literal("stop"), Type.Literal("ask")], {
      default: "stop",
      description:
        "What happens where a budget is spent: the turn stops, or the person is asked whether it goes on.",
    }),
  }),
  prices: Type.Record(
    Type.String(),
    Type.Object({
      input: dollars("US dollars for a million tokens that are sent."),
      output: dollars("US dollars for a million tokens that are answered."),
      cached: Type.Optional(
        dollars("US dollars for a million tokens read from the cache; default: as `input`."),
      ),
    }),
  ),
});
export type BudgetConfig = Static<typeof config>["budget"];
export type Prices = Static<typeof config>["prices"];
