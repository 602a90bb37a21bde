import { errors as shared } from "@gantry/sdk";
import { configErrors } from "./config/errors.ts";
import { messageErrors } from "./messages/errors.ts";
import { pluginErrors } from "./plugins/errors.ts";
import { recordErrors } from "./record/errors.ts";
import { toolErrors } from "./tools/errors.ts";
import { turnErrors } from "./turn/errors.ts";

/** The codes that only the host raises, of all its rooms. */
export const hostErrors = Object.freeze({
  ...pluginErrors,
  ...configErrors,
  ...recordErrors,
  ...toolErrors,
  ...turnErrors,
  ...messageErrors,
});

/** All that the host raises: its own codes, and those that it shares with plugins. */
export const errors = Object.freeze({ ...shared, ...hostErrors });
