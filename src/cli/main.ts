#!/usr/bin/env node
import { run } from './run.js';

// A parent that could still send messages does not keep this process alive.
process.channel?.unref();
process.exitCode = await run(process.argv.slice(2));
