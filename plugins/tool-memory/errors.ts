import { defineErrors, failed } from "@gantry/sdk";

export const errors = defineErrors({
  MEMORY_FULL: failed(
    "The memory holds %s entries and memory.max_entries is %s: forget some, or set memory.auto_delete_old_entries to true.",
  ),
  MEMORY_UNKNOWN: failed("There is no memory with the id %s: recall it first to see its id."),
});
