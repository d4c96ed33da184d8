//! What held a round back: each is called as its page of `docs/findings` is.

use galo_words::Both;

use super::FindingWords;

findings! {
    "accept-queue": "connections were dropped before anybody accepted them", "conexões foram descartadas antes que alguém as aceitasse";
        "A fila de accept de um socket encheu, e o kernel descartou o que chegava. Cada cliente descartado espera um segundo antes de tentar de novo: é isso que aparece como latências de pouco mais de 1 s e como timeouts."
        => "accept sooner (a thread that does only that, more CPU), or raise the backlog: the server's own, and net.core.somaxconn",
        "Aceite mais cedo (uma thread só para isso, ou mais CPU para quem aceita), ou aumente o backlog: o do servidor e o `net.core.somaxconn`.";
    "balancer-connections": "the load balancer had no connection left", "o balanceador ficou sem conexões";
        "O log do balanceador diz que o limite de conexões dele acabou, e houve operações que falharam. Cada requisição em andamento ocupa duas: uma com o cliente, outra com a instância."
        => "raise its limit (nginx: `worker_connections`, two for each request under way; HAProxy: `maxconn`), with `nofile` to match",
        "Aumente o limite (nginx: `worker_connections`, duas para cada requisição em andamento; HAProxy: `maxconn`), e o `nofile` junto.";
    "busy-neighbour": "somebody else used a core that was full", "outro processo ocupou um núcleo que já estava cheio";
        "Os serviços queriam rodar e ficaram sem núcleo, enquanto processos que não são do competidor nem do galo usavam CPU. A culpa é da máquina, e a rodada diz menos sobre o competidor."
        => "look for what else runs here (`top`), and fight again",
        "Procure o que mais roda aqui (`top`), e rode a briga de novo.";
    "cpu-limit": "a service had used up its CPU", "um serviço esgotou a sua CPU";
        "O limite de CPU é uma cota para cada 100 ms: quem a gasta fica parado até a próxima (throttling), e um serviço parado faz todos os outros esperarem. Isso aconteceu mais enquanto usuários esperavam do que quando tudo ia bem."
        => "make an answer cost it less CPU, or give it more than its part of the budget",
        "Divida a CPU de outro jeito entre os serviços, ou faça cada resposta custar menos a este. Mais CPU pode não bastar: o próximo limite talvez esteja perto.";
    "database-connections": "the database refused sessions", "o banco recusou conexões";
        "Um log diz que o banco de dados não tinha mais sessões para dar. Em geral, os pools de todas as instâncias, somados, pedem mais do que o `max_connections` permite."
        => "make the pools of all instances together smaller than the database's `max_connections` (less what it reserves), or raise that; check that the configuration file is loaded at all",
        "Deixe os pools de todas as instâncias, somados, abaixo do `max_connections` (menos o que o banco reserva), ou aumente-o. Confira se o arquivo de configuração é mesmo carregado.";
    "database-lock": "sessions of the database waited for a lock", "sessões do banco esperaram por um lock";
        "Uma transação segurava um lock (de uma tabela, ou de uma linha que todos atualizam), e outras sessões do banco esperavam por ele."
        => "hold locks for less long (shorter transactions, no `LOCK TABLE`, no rows that everybody updates), or take the work that holds them out of the load",
        "Segure locks por menos tempo (transações mais curtas, nada de `LOCK TABLE`, nenhuma linha que todo mundo atualiza), ou tire da carga o trabalho que os segura.";
    "descriptors": "no file descriptor was left", "acabaram os descritores de arquivo";
        "O log de um serviço diz que ele não conseguia abrir mais nada. Cada conexão é um descritor de arquivo, e um processo só pode ter um certo número deles (`nofile`)."
        => "raise `ulimits: { nofile: ... }` of the service, or look for what is never closed",
        "Aumente `ulimits: { nofile: ... }` do serviço, ou procure o que é aberto e nunca fechado.";
    "galo-busy": "galo itself was the bottleneck", "o gargalo foi o próprio galo";
        "As threads do motor de carga ficaram ocupadas quase o tempo todo, e as chegadas seguintes teriam esperado por elas. Tempos e taxas desta rodada não dizem nada sobre o competidor."
        => "leave galo a core of its own (`cpuset` in the contender's file), end what else runs here, or lower the load (`--scale`)",
        "Deixe um núcleo só para o galo (`cpuset` no arquivo do competidor), encerre o que mais roda aqui, ou diminua a carga (`--scale`).";
    "galo-could-not-send": "galo could not send some requests", "o galo não conseguiu enviar algumas requisições";
        "Faltou ao galo algo da máquina, como portas locais ou arquivos abertos, e o competidor nem viu essas requisições. Tempos e taxas desta rodada não dizem nada sobre ele."
        => "raise the limits of this machine: `galo doctor` says which, and how",
        "Aumente os limites desta máquina: `galo doctor` diz quais, e como.";
    "galo-late": "galo itself was late", "o próprio galo se atrasou";
        "O galo enviou requisições depois da hora prevista, e esse atraso entraria na latência do competidor. Tempos e taxas desta rodada não dizem nada sobre ele."
        => "leave galo a core of its own (`cpuset` in the contender's file), end what else runs here, or lower the load (`--scale`)",
        "Deixe um núcleo só para o galo (`cpuset` no arquivo do competidor), encerre o que mais roda aqui, ou diminua a carga (`--scale`).";
    "galo-throttled": "a CPU quota stopped galo itself", "uma cota de CPU deteve o próprio galo";
        "O galo roda num grupo de controle com uma cota de CPU (um contêiner, um job de CI), e ficou parado quando a gastou. Tempos e taxas desta rodada não dizem nada sobre o competidor."
        => "give the container or the job that galo runs in more CPU, or lower the load (`--scale`)",
        "Dê mais CPU ao contêiner ou ao job em que o galo roda, ou diminua a carga (`--scale`).";
    "heap": "a runtime's own heap was full", "o heap de um runtime encheu";
        "O log de um serviço diz que o heap do runtime acabou (JVM, Node). Um runtime usa só uma parte da memória do serviço, qualquer que seja o limite."
        => "give the heap more of the service's memory (`-Xmx`, `--max-old-space-size`), or keep less in it",
        "Dê ao heap mais da memória do serviço (`-Xmx`, `--max-old-space-size`), ou guarde menos nele.";
    "host-steal": "the hypervisor took CPU away", "o hipervisor tirou CPU da máquina";
        "Parte da CPU que esta máquina virtual queria foi para outra (steal). Tempos e taxas desta rodada não dizem nada sobre o competidor."
        => "fight again when the machine has its CPU for itself, or on another one",
        "Rode a briga de novo quando a máquina tiver a CPU só para si, ou em outra máquina.";
    "memory-limit": "a service had used up its memory", "um serviço esgotou a sua memória";
        "O serviço chegou ao limite de memória enquanto usuários esperavam. No limite, o kernel tem de tirar páginas dele para cada uma que ele pede, e no fim mata um processo."
        => "give it more of the memory, or make it keep less (caches, buffers, heap limits)",
        "Dê mais memória a este serviço, ou faça-o guardar menos (caches, buffers, limites do heap).";
    "pool-exhausted": "all connections to the database were in use", "todas as conexões com o banco estavam em uso";
        "As sessões com o banco estavam ocupadas, ou um pool diz no log que não tinha mais nenhuma, enquanto outras operações esperavam. O pool em si o galo não vê."
        => "measure a larger connection pool (twice, four times as large), or hold a connection for less of a request",
        "Meça com um pool maior (o dobro, o quádruplo), ou segure cada conexão por uma parte menor da requisição.";
    "ports": "no local port was left", "acabaram as portas locais";
        "O log de um serviço diz que não havia porta local para mais uma conexão. Cada conexão nova com um mesmo endereço ocupa uma porta, e a segura por um minuto depois de terminar."
        => "keep connections between the services open (keep-alive, pools), or let them talk through Unix sockets",
        "Mantenha abertas as conexões entre os serviços (keep-alive, pools), ou ligue-os por sockets Unix.";
    "slow-disk": "commits waited for the disk", "commits esperaram pelo disco";
        "Sessões do banco esperaram pelo disco, e cada commit por muito tempo. O disco é da máquina, mas é o competidor que escolhe quantos flushes faz."
        => "a faster disk; or fewer flushes: more creations in one commit, or more sessions whose commits are flushed together",
        "Use um disco mais rápido, ou faça menos flushes: mais criações em cada commit, ou mais sessões cujos commits vão juntos para o disco.";
    "slow-instance": "one instance was slower than its twin", "uma instância foi mais lenta que a gêmea";
        "Uma instância esgotou o seu limite de CPU muito mais vezes que outra do mesmo programa. Se o balanceador manda o mesmo para as duas, é a mais lenta que decide."
        => "give the two the same limits, or give the slower one less to do (weights of the balancer)",
        "Dê os mesmos limites às duas, ou menos trabalho à mais lenta (pesos no balanceador).";
    "stalls": "again and again nobody was answered for a moment", "de tempos em tempos ninguém recebia resposta";
        "O competidor inteiro parou várias vezes, por 0,2 s ou mais, com operações à espera e nenhum serviço no limite de CPU. O galo vê que parou, não por quê."
        => "look at what the program does at these moments: a collector's log, locks, timers, checkpoints",
        "Veja o que o programa faz nesses momentos: o log do coletor de lixo, locks, timers, checkpoints do banco.";
    "unequal-terms": "the fight was not fair", "a briga não foi justa";
        "As condições não foram iguais até o fim, por exemplo com limites que deixaram de valer. Tempos e taxas desta rodada não dizem nada sobre o competidor."
        => "fight again; `galo doctor` says what this machine can enforce",
        "Rode a briga de novo; `galo doctor` diz o que esta máquina consegue impor.";
}
