import { describe, expect, test } from "vitest";
import { programs } from "../../test/helpers/programs.ts";
import { handlesOn } from "./clock.test-kit.ts";
import { startPostgres } from "./server.test-kit.ts";

const postgres = programs("initdb", "pg_basebackup");

describe.runIf(postgres.here)(`servers in any order${postgres.why}`, () => {
  test.each(["", "?target_session_attrs=read-write"])(
    "SCL-03: a standby that is named before its primary is passed over (%j)",
    async (query) => {
      const primary = await startPostgres();
      const path = new URL(await primary.database()).pathname;
      const standby = await primary.standby();
      const hosts = `127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
      const { connect, close } = handlesOn(`postgres://gantry@${hosts}${path}${query}`);
      const { values } = connect().store;
      await values.put("s", "k", "written");
      expect(await values.get("s", "k")).toBe("written");
      await close();
      await standby.stop();
      await primary.stop();
    },
  );
});
