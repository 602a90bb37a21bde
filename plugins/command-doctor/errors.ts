import { defineErrors, policy } from "@gantry/sdk";

export const errors = defineErrors({
  DOCTOR_NO_FIX: policy("The check `%s` offers no such cure by now: look again at what it says."),
});
