// The end of an instance.

import { close } from './store.js';

const STOP_MS = 5_000;

/** On SIGTERM takes no more connections, answers what is under way, and ends. */
export function stopOnTerm(server) {
  process.once('SIGTERM', () => {
    // Without this, a connection of the load balancer whose request is still under way would afterwards be kept for its next.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    server.close(() => {
      clearInterval(sweep);
      close();
    });
    setTimeout(() => process.exit(1), STOP_MS).unref();
  });
}
