package dev.probestream.convert.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTest {
    @ParameterizedTest
    @CsvSource({
        "/users/42, /users/:id",
        "/users/42/orders/7?page=2, /users/:id/orders/:id",
        "/pay/p1001, /pay/:id",
        "/orders/order-17/items, /orders/:id/items",
        "/o/user_42, /o/:id",
        "/t/123e4567-e89b-12d3-a456-426614174000, /t/:id",
        "/t/0af7651916cd43dd8448eb211c80319c, /t/:id",
        "/commit/5d41402a, /commit/:id",
        "/ulid/01ARZ3NDEKTSV4RRFFQ69G5FAV, /ulid/:id",
        "/s/V1StGXR8_Z5jdHi6B-myT, /s/:id",
        "/mongo/507f1f77bcf86cd799439011/x, /mongo/:id/x",
        "/mail/ann@example.com, /mail/:id",
        "/mail/ann%40example.com, /mail/:id",
        "/days/2026-11-24, /days/:id",
        "/at/2026-11-24T10:00:00.000Z, /at/:id",
        "'/map/48.1,11.5', /map/:id",
        "/reset/***, /reset/:id",
        "/img/cat-17.png?w=2, /img/:id.png",
        "/img/17.jpeg, /img/:id.jpeg",
        "/static/app.5d41402a.js, /static/app.:id.js",
        "/static/app-5d41402a.js#top, /static/app-:id.js",
        "/v1/things/77:cancel, /v1/things/:id:cancel",
        "/a/42;v=1/b, /a/:id/b",
        "/home;jsessionid=***, /home",
        "http://api.internal:8080/users/42, http://api.internal:8080/users/:id",
    })
    void whatNamesOneThingOfManyIsAnId(String url, String route) {
        assertThat(Route.of(url)).isEqualTo(route);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "*",
                "//",
                "/users/",
                "/api/v2/users",
                "/oauth2/token",
                "/.well-known/openid-configuration",
                "/users/alice",
                "/blog/how-to-install-node-20-on-debian",
                "/static/jquery.min.js",
                "/feed/defaced",
                "/md5/base64",
                "/index.html",
                "db.internal:5432",
                "http://host",
            })
    void namesStay(String url) {
        assertThat(Route.of(url)).isEqualTo(url);
    }

    @Test
    void aRouteIsItsOwnRoute() {
        Random random = new Random(7);
        String alphabet = "/ab19-_.:;?#%@*~Zé";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder url = new StringBuilder(random.nextBoolean() ? "/" : "");
            for (int length = random.nextInt(90); length > 0; length--) {
                url.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            String route = Route.of(url.toString());
            assertThat(Route.of(url.toString())).isEqualTo(route);
            assertThat(route.length()).isLessThanOrEqualTo(url.length() * 3 + 3);
        }
    }
}
