import { ask, defineErrors, definePlugin, policy } from "@gantry/sdk";
import { Type } from "typebox";

export const errors = defineErrors({
  OFFICE_CLOSED: policy("It is %s:00 and commands run unasked only from %s:00 to %s:00."),
});

/**
 * A rule is a function from a call to refuse(), ask() or nothing; `hour` is handed in, so that a test can set it.
 * @param {number} from
 * @param {number} to
 * @param {() => number} hour
 */
export function officeHours(from, to, hour = () => new Date().getHours()) {
  return (call) => {
    const now = hour();
    if (call.effects.commands.length === 0 || (now >= from && now < to)) return undefined;
    return ask(errors.OFFICE_CLOSED(now, from, to));
  };
}

const hourKey = (byDefault, description) =>
  Type.Integer({ default: byDefault, minimum: 0, maximum: 24, description });

export default definePlugin({
  name: "guard-office-hours",
  summary: "Asks a person before a command runs outside office hours.",
  config: Type.Object({
    from: hourKey(9, "The first hour of the day."),
    to: hourKey(18, "The hour that is too late."),
  }),
  taps: ["beforeToolCall"],
  errors,
  setup(host) {
    host.hooks.beforeToolCall.tap(officeHours(host.config.from, host.config.to));
  },
});
