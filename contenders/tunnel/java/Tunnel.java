import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A TCP proxy as most would write it in Java without a framework: one thread, a selector, a direct buffer for each direction. */
public final class Tunnel {
    private static final int BUFFER = 16 * 1024;

    private final Selector selector;
    private final InetSocketAddress to;

    private Tunnel(int to) throws IOException {
        this.selector = Selector.open();
        this.to = new InetSocketAddress(InetAddress.getLoopbackAddress(), to);
    }

    /** One end of a tunnel, and what it sends to the other one. */
    private static final class Side {
        final SocketChannel channel;
        final ByteBuffer held = ByteBuffer.allocateDirect(BUFFER);
        Side other;
        SelectionKey key;
        boolean atEnd;
        boolean told;

        Side(SocketChannel channel) {
            this.channel = channel;
        }

        /** Carries on whatever can be carried on from here to the other side. */
        void pump() throws IOException {
            while (!told) {
                if (held.position() == 0 && !atEnd) {
                    int came = channel.read(held);
                    if (came == 0) {
                        return;
                    }
                    atEnd = came < 0;
                }
                if (held.position() > 0) {
                    held.flip();
                    other.channel.write(held);
                    held.compact();
                    if (held.position() > 0) {
                        return;
                    }
                } else if (atEnd) {
                    other.channel.shutdownOutput();
                    told = true;
                }
            }
        }

        /** What it waits for: bytes while none are held, and room while the other side holds some. */
        void await() {
            int read = atEnd || held.position() > 0 ? 0 : SelectionKey.OP_READ;
            int write = other.held.position() > 0 ? SelectionKey.OP_WRITE : 0;
            if (key.interestOps() != (read | write)) {
                key.interestOps(read | write);
            }
        }

        void close() {
            try {
                channel.close();
            } catch (IOException ignored) {
                // It is gone either way.
            }
        }
    }

    private void begin(SocketChannel client) throws IOException {
        SocketChannel channel;
        try {
            channel = SocketChannel.open();
        } catch (IOException error) {
            client.close();
            throw error;
        }
        for (SocketChannel one : new SocketChannel[] {client, channel}) {
            one.configureBlocking(false);
            one.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        Side here = new Side(client);
        Side there = new Side(channel);
        here.other = there;
        there.other = here;
        try {
            // On loopback this is usually there at once.
            boolean connected = channel.connect(to);
            here.key = client.register(selector, connected ? SelectionKey.OP_READ : 0, here);
            there.key = channel.register(selector, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, there);
        } catch (IOException error) {
            System.err.println(error.getMessage());
            here.close();
            there.close();
        }
    }

    private static void ready(Side side) {
        try {
            if (side.key.isConnectable() && !side.channel.finishConnect()) {
                return;
            }
            side.pump();
            side.other.pump();
            if (side.told && side.other.told) {
                side.close();
                side.other.close();
                return;
            }
            side.await();
            side.other.await();
        } catch (IOException breakOff) {
            // Whoever breaks off ends both sides.
            side.close();
            side.other.close();
        }
    }

    private void run(int bind) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), bind), 4096);
        listener.configureBlocking(false);
        listener.register(selector, SelectionKey.OP_ACCEPT);
        while (true) {
            selector.select(key -> {
                if (key.attachment() instanceof Side side) {
                    if (key.isValid()) {
                        ready(side);
                    }
                    return;
                }
                try {
                    for (SocketChannel client; (client = listener.accept()) != null; ) {
                        begin(client);
                    }
                } catch (IOException error) {
                    System.err.println("accept: " + error.getMessage());
                    pause();
                }
            });
        }
    }

    private static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 2) {
            System.err.println("usage: java Tunnel PORT ORIGIN_PORT");
            System.exit(2);
        }
        new Tunnel(Integer.parseInt(arguments[1])).run(Integer.parseInt(arguments[0]));
    }
}
